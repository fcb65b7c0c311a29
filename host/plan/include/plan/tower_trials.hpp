// tower_trials.hpp: whether the towers of a step are faster in parallel or one after another.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace broch::plan {

// Tries it from time to time with short steps: synchronization, and reading what another core
// wrote, may cost as much as the towers.
class TowerTrials {
 public:
  // Whether the next step, with this number of towers, is to run them one after another.
  bool in_turn(size_t towers);
  // Reports how long that step took, including the work that depends on its towers.
  void took(double seconds);

 private:
  using Times = std::array<double, 9>;  // seconds

  Times together_{}, in_turn_{};
  size_t towers_ = 0;
  uint32_t steps_ = 0;  // number of steps since the last trial began
  bool turns_ = false;  // the result of the last trial
};

}  // namespace broch::plan
