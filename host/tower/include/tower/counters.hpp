// counters.hpp: the counters of a run, which a tower can read like hyper-parameters.
#pragma once
#include "tower/names.hpp"
#include "tower/tower.hpp"

namespace broch::tower {

struct Counter {
  const char* name;
  std::function<int64_t()> RunContext::*number;
  uint32_t slot;  // input slot in a recording; above all slots a signature can use
};
constexpr uint32_t kFirstCounterSlot = 1u << 16;
inline constexpr Counter kCounters[] = {
    {"global_step", &RunContext::global_step, kFirstCounterSlot},
    {"epoch_num", &RunContext::epoch_num, kFirstCounterSlot + 1},
};

const Counter* find_counter(std::string_view name);
// The current value as an int64 scalar.
Tensor counter_tensor(const RunContext& context, const Counter& counter, Device device);

}  // namespace broch::tower
