// counters.cpp: global_step and epoch_num as tensors.
#include "tower/counters.hpp"

#include <algorithm>

#include "tower/kernel_tape.hpp"

namespace broch::tower {

const Counter* find_counter(std::string_view name) {
  const auto* const found = std::ranges::find(kCounters, name, &Counter::name);
  return found == std::end(kCounters) ? nullptr : found;
}

Tensor counter_tensor(const RunContext& context, const Counter& counter, Device device) {
  const auto& number = context.*counter.number;
  int64_t value = number ? number() : 0;
  if (KernelTape* const tape = KernelTape::current()) value = tape->counter(counter.slot, value);
  const broch_dl_tensor data{&value, {BROCH_DL_CPU, 0}, 0, to_dl(BROCH_INT64), nullptr, nullptr, 0};
  return context.backend->copy_in(data, device);
}

}  // namespace broch::tower
