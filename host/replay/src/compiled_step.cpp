// compiled_step.cpp: gives a program its inputs, and runs it.
#include "compiled_step.hpp"

#include <sstream>

#include "base/hash.hpp"
#include "tower/counters.hpp"
#include "tower/kernel_tape.hpp"

namespace broch::replay {

std::string CompiledStep::name() const {
  std::ostringstream name;
  name << std::hex << base::hash64(executable->text());
  return name.str();
}

void CompiledStep::run(const Tower& tower, const RunInputs& inputs,
                       const Executable::Notify& notify) {
  KernelTape::begin_step();
  uint32_t slot = 0;
  for (const Tensor& input : inputs.inputs) executable->set(slot++, input);
  for (const auto& [name, tensor] : inputs.feeds) executable->set(slot++, tensor);
  for (const Counter& counter : kCounters)
    if (executable->uses(counter.slot))
      executable->set(counter.slot, counter_tensor(tower.context(), counter, tower.spec().device));
  executable->run(inputs.hooked_run, notify);
  for (auto& [place, target] : in_variables)
    *target = tower.context().backend->copy(executable->output(place), tower.spec().device);
}

const StepResult& CompiledStep::replay(const Tower& tower, const RunInputs& inputs) {
  if (notified.empty()) {
    run(tower, inputs);
  } else {
    run(tower, inputs, [this](size_t part) {
      const auto& [sink, number] = notified[part];
      sink->ready(number);
    });
  }
  return result;
}

}  // namespace broch::replay
