// counters.hpp: the counters of a run, which a tower may ask for like a hyper-parameter.
#pragma once
#include "tower/names.hpp"
#include "tower/tower.hpp"

namespace broch::tower {

struct Counter {
  const char* name;
  std::function<int64_t()> RunContext::*number;
  uint32_t slot;  // among the inputs of a recording, behind all that a signature can have
};
constexpr uint32_t kFirstCounterSlot = 1u << 16;
inline constexpr Counter kCounters[] = {
    {"global_step", &RunContext::global_step, kFirstCounterSlot},
    {"epoch_num", &RunContext::epoch_num, kFirstCounterSlot + 1},
};

const Counter* find_counter(std::string_view name);
// Its value now: int64, 0-dim.
Tensor counter_tensor(const RunContext& world, const Counter& counter, Device device);

}  // namespace broch::tower
