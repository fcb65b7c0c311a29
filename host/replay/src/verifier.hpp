// verifier.hpp: checks that a program computes what the eager step computes.
//
// A step is computed by both. At level bitwise the results must be equal, unless two eager steps
// differ as well; at level fast they must be near, and at some data point very near or as near as
// two eager steps that round differently. REQUIRES: a KernelTape and a pause of writes to variables
// during each check.
#pragma once
#include <string>
#include <vector>

#include "comparison.hpp"
#include "eager_step.hpp"
#include "recorded_step.hpp"
#include "replay/names.hpp"
#include "runtime/variable_writes.hpp"
#include "runtime/workspace.hpp"

namespace broch::replay {

class Verifier {
 public:
  // workspace: the one that the programs use.
  Verifier(Tower& tower, EagerStep& eager, Workspace& workspace);

  // Computes the request in both ways and continues the trial of the program. Returns "" or how the
  // program is wrong. Nothing has been tried if the pause was broken.
  std::string verify(RecordedStep& recorded, CompiledStep& compiled, const StepRequest& request,
                     const VariableWrites::Pause& pause);
  // Compares a program that has been verified, several times early on, then every 1,000 steps.
  // Throws base::Error that names the operator that differs.
  void audit(const RecordedStep& recorded, CompiledStep& compiled, const StepRequest& request,
             const VariableWrites::Pause& pause);

 private:
  Comparison begin_comparison(const RecordedStep& recorded, const CompiledStep& compiled,
                              const StepRequest& request);
  double tolerance_of(const CompiledStep& compiled) const;
  bool is_tolerable(double gradient_distance) const;
  std::string mistake(const RecordedStep& recorded, CompiledStep& compiled,
                      const StepRequest& request);
  std::string more_than_nondeterminism(const Comparison& comparison, const CompiledStep& compiled,
                                       const StepRequest& request, const std::string& found);
  std::string more_than_rounding(const Comparison& comparison, const CompiledStep& compiled,
                                 const StepRequest& request, const std::string& found) const;
  double moved_by_rounding(const Comparison& comparison, const CompiledStep& compiled,
                           const StepRequest& request) const;
  static std::vector<Tensor> compute_outputs(EagerStep& eager, const CompiledStep& compiled,
                                             const StepRequest& request);
  std::vector<Tensor> eager_outputs(const CompiledStep& compiled, const StepRequest& request);
  void run_poisoned(CompiledStep& compiled, const RunInputs& inputs) const;
  std::string audited_mistake(const RecordedStep& recorded, CompiledStep& compiled,
                              const StepRequest& request);
  std::string changed_operator(const RecordedStep& recorded, const StepRequest& request);
  void log_verified(const RecordedStep& recorded, const CompiledStep& compiled) const;
  Backend& backend() const { return *tower_.context().backend; }

  Tower& tower_;
  EagerStep& eager_;
  Workspace& workspace_;
  Tolerances tolerances_;
};

}  // namespace broch::replay
