// tower_runner.hpp: runs a tower for one user, eagerly at first, later by a recorded program.
//
// The first step with inputs of a new shape is recorded. The program is used once it has
// reproduced the eager step on data other than those it was recorded on: exactly, or approximately
// at level fast. A tower that cannot be replayed stays eager, and the log gives the reason in one
// line.
#pragma once
#include <memory>
#include <string>

#include "replay/names.hpp"
#include "replay/step.hpp"
#include "runtime/program.hpp"

namespace broch::replay {

struct CompiledStep;
class EagerStep;
class ProgramCache;
struct RecordedStep;
class Verifier;

class TowerRunner {
 public:
  explicit TowerRunner(Tower& tower, RunnerBuffers buffers = {});
  ~TowerRunner();
  TowerRunner(const TowerRunner&) = delete;
  TowerRunner& operator=(const TowerRunner&) = delete;

  Tower& tower() const { return tower_; }
  // Moves from the inputs of the request. In the result, only the values of updates may lie in the
  // memory of a variable. The result is valid until release or the next run.
  const StepResult& run(StepRequest& request, const KeepsUpdate& keeps);
  // Whether run would now replay a program that calls operators only, no code of plugins, so that
  // it may be called on any thread. Completes the inputs.
  bool replays_alone(StepRequest& request);
  // Drops the autograd graph of an eager step.
  void release();

  // For people: "recorded", "recorded at its first data point", "eager: …".
  std::string state() const;
  // Whether the way of execution is settled: the tower stays eager, or the last program was
  // verified.
  bool decided() const;
  // The results of comparisons and the shapes seen so far, if later bits depend on them (level
  // fast); "" if there are none. A run that is resumed with the same settings takes them over,
  // since its own comparisons and first shapes would be different.
  std::string decision() const;
  void take_over(const std::string& decision);
  // The program that ran last and its compiled form; nullptr while there is none.
  const RecordedProgram* program() const;
  Executable* executable() const;
  double record_milliseconds() const;  // time to record that program

 private:
  const StepResult& run_new(StepRequest& request, const KeepsUpdate& keeps);
  const StepResult& run_recorded(RecordedStep& recorded, StepRequest& request,
                                 const KeepsUpdate& keeps);
  const StepResult& record(std::unique_ptr<RecordedStep> recorded, StepRequest& request,
                           const KeepsUpdate& keeps);
  const StepResult& compare(RecordedStep& recorded, CompiledStep& compiled, StepRequest& request,
                            const KeepsUpdate& keeps);
  const StepResult& begin_trial(RecordedStep& recorded, StepRequest& request,
                                const KeepsUpdate& keeps, const VariableWrites::Pause& pause);
  const StepResult& verify(RecordedStep& recorded, CompiledStep& compiled, StepRequest& request,
                           const KeepsUpdate& keeps, const VariableWrites::Pause& pause);
  CompiledStep* compiled_for(const Wanted& wanted, const KeepsUpdate& keeps);
  bool audits() const;
  void count_run(CompiledStep& compiled) const;
  bool is_ready(const StepRequest& request) const;
  void stay_eager(const std::string& why);
  Backend& backend() const { return *tower_.context().backend; }

  Tower& tower_;
  std::unique_ptr<EagerStep> eager_;
  std::unique_ptr<ProgramCache> programs_;
  std::unique_ptr<Verifier> verifier_;
  bool stays_eager_ = false;
  std::string why_eager_;  // the reason, if it stays eager
};

}  // namespace broch::replay
