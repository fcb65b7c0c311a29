// drawn_action.hpp: draws an action from a policy.
#pragma once
#include <cstddef>
#include <cstdint>

namespace a3c {

// The action that a number from 0 to 1 stands for.
inline uint32_t drawn_action(const float* policy, size_t actions, double draw) {
  uint32_t action = 0;
  while (action + 1 < actions && (draw -= policy[action]) >= 0) ++action;
  return action;
}

}  // namespace a3c
