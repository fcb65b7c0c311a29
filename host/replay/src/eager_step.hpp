// eager_step.hpp: computes a step by calling the tower function, one operator after another.
//
// compute() leaves everything that the function produced in result(). settle() then makes of it
// what the user of the runner gets.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "replay/names.hpp"
#include "replay/step.hpp"
#include "runtime/program.hpp"

namespace broch::replay {

class EagerStep {
 public:
  explicit EagerStep(Tower& tower) : tower_(tower) {}

  // Computes the whole step. Moves from the inputs of the request.
  const StepResult& run(StepRequest& request, const KeepsUpdate& keeps);

  // Calls the tower function and differentiates its costs. Moves from the inputs.
  void compute(RunInputs& inputs, const std::vector<const GradientRequest*>& gradients);
  // Computes the request while a recorder observes it.
  struct Recorded {
    std::unique_ptr<RecordedProgram> program;  // nullptr: the step cannot be replayed
    std::string refusal;                       // the reason
  };
  Recorded record(const StepRequest& request);
  // Frees what nobody will read: a program that is compared with the step needs as much memory.
  void drop_unwanted(const Wanted& wanted);
  // Drops the updates that do not belong to the step, and copies wanted values that the others
  // would overwrite.
  const StepResult& settle(const Wanted& wanted, const KeepsUpdate& keeps);
  // Drops the result with its autograd graph.
  void release();

  const StepResult& result() const { return result_; }

 private:
  void differentiate(const GradientRequest& request, std::vector<Tensor>& gradients);
  Tensor cost_of(const GradientRequest& request) const;
  const Tensor& leaf_of(const GradientRequest& request, size_t variable) const;
  void complete(const GradientRequest& request, std::vector<Tensor>& gradients) const;
  void protect(Tensor& value) const;
  Backend& backend() const { return *tower_.context().backend; }

  Tower& tower_;
  StepResult result_;  // of the last step
  bool holds_graph_ = false;
  std::vector<Tensor> leaves_;  // memory that each step reuses
};

}  // namespace broch::replay
