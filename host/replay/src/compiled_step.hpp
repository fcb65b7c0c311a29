// compiled_step.hpp: the program of a recorded step, compiled for a certain set of outputs that
// are read.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "replay/names.hpp"
#include "replay/step.hpp"
#include "runtime/program.hpp"
#include "trials.hpp"

namespace broch::replay {

struct CompiledStep {
  Wanted wanted;
  std::vector<uint32_t> outputs;  // numbers as in StepOutputs
  std::unique_ptr<Executable> executable;
  Trial* trial = nullptr;
  bool verified = false;  // results of this executable are no longer compared
  StepResult result;
  // Values that lie in a variable's memory are copied after each step: number of the output, and
  // where to store the copy.
  std::vector<std::pair<size_t, Tensor*>> in_variables;
  std::vector<std::pair<GradientSink*, uint32_t>> notified;  // by part of CompileOptions

  bool is_fast() const { return executable->info().level == Level::fast; }
  // Equal for equal programs, also in another process.
  std::string name() const;
  // Computes the step into `result`.
  void run(const Tower& tower, const RunInputs& inputs, const Executable::Notify& notify = {});
  // The same, and notifies the sinks of gradients.
  const StepResult& replay(const Tower& tower, const RunInputs& inputs);
};

}  // namespace broch::replay
