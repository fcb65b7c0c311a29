// tower_runner.hpp: runs a tower for one user, eagerly at first, later by a recorded program.
//
// The first step with inputs of a new shape is recorded. The program is used once it has
// reproduced the eager step on data other than those it was recorded on: exactly, or approximately
// at level fast. A tower that cannot be replayed stays eager, and the log gives the reason in one
// line.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/program.hpp"
#include "tower/names.hpp"
#include "tower/tower.hpp"

namespace broch::tower {

// Is told in the middle of a step that some gradients are complete.
class GradientSink {
 public:
  virtual ~GradientSink() = default;
  // All gradients of this part have been written to their buffers. Called on the tower's thread.
  // Eager steps do not call it.
  virtual void ready(uint32_t part) = 0;
};

// The derivatives of one cost of a tower.
struct GradientRequest {
  std::string name;                 // for messages
  std::optional<std::string> cost;  // published name; none: the tower function's cost
  std::vector<Variable*> variables;
  std::vector<size_t> leaves;   // their indices in TowerResult::leaves, if unchanged
  std::vector<Tensor> buffers;  // memory to write them to, if any; see CompileOptions
  std::vector<bool> rows;       // whether they may be sparse, as rows, if any; see CompileOptions
  GradientSink* sink = nullptr;
  std::vector<uint32_t> parts;  // by gradient, if there is a sink
  bool keep_graph = false;      // another request of the same step uses the graph, too
  mutable bool warned = false;
};

// What will be read of a step's result.
struct Wanted {
  std::vector<uint32_t> published;  // indices, ascending
  bool summaries = false, moving = false;
  bool hooked = false, evaluation = false;  // decide which updates belong to the step
  bool operator==(const Wanted&) const = default;
  void publish(uint32_t index);  // adds the index unless it is there
};

struct StepRequest {
  RunInputs inputs;
  std::vector<const GradientRequest*> gradients;
  Wanted wanted;

  void clear();  // keeps the allocated memory
};

struct StepResult {
  TowerResult tower;                           // what is not wanted may be undefined
  std::vector<std::vector<Tensor>> gradients;  // by request; never undefined
};

// Fixed memory outside of the runner. Undefined or missing entries: anywhere. See CompileOptions.
struct RunnerBuffers {
  std::vector<Tensor> inputs;     // by position: where a program finds the inputs
  std::vector<Tensor> published;  // by index: where to write the published tensors
};

// Whether an update belongs to a step.
using KeepsUpdate = std::function<bool(const TowerResult&, const Update&)>;

class ShapeHistory;
class Trials;

class TowerRunner {
 public:
  explicit TowerRunner(Tower& tower, RunnerBuffers buffers = {});
  ~TowerRunner();
  TowerRunner(const TowerRunner&) = delete;
  TowerRunner& operator=(const TowerRunner&) = delete;

  Tower& tower() const { return tower_; }
  // Moves from the inputs of the request. Of the result, only values of updates may lie in memory
  // of a variable. The result is valid until release or the next run.
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
  struct Recorded;
  struct Compiled;
  void compute(RunInputs& inputs, const std::vector<const GradientRequest*>& gradients);
  const StepResult& settled(const Wanted& wanted, const KeepsUpdate& keeps);
  const StepResult& eager(StepRequest& request, const KeepsUpdate& keeps);
  void drop_unwanted(const Wanted& wanted);
  void differentiate(const GradientRequest& request, std::vector<Tensor>& gradients);
  Tensor cost_of(const GradientRequest& request) const;
  Recorded* recording_for(const StepRequest& request);
  bool takes_new_shape(uint64_t key);
  void forget_least_used();
  const StepResult& record(std::unique_ptr<Recorded> recording, StepRequest& request,
                           const KeepsUpdate& keeps);
  Recorded& keep(std::unique_ptr<Recorded> recording);
  Compiled* compiled_for(Recorded& recording, const Wanted& wanted, const KeepsUpdate& keeps);
  std::unique_ptr<Compiled> compile(const Recorded& recording, const Wanted& wanted,
                                    const KeepsUpdate& keeps);
  void execute(Compiled& compiled, const RunInputs& inputs, const Executable::Notify& notify = {});
  std::string difference(const Recorded& recording, const Compiled& compiled,
                         const std::vector<Tensor>& expected, double tolerance) const;
  bool is_rounding_of(const Tensor& expected, const Tensor& found) const;
  double gradient_distance(const Recorded& recording, const Compiled& compiled,
                           const std::vector<Tensor>& expected) const;
  bool has_learnt(const Recorded& recording, const Compiled& compiled,
                  const std::vector<Tensor>& expected) const;
  std::vector<Tensor> eager_outputs(const Compiled& compiled, const StepRequest& request);
  std::string failure(Compiled& compiled, const RunInputs& inputs);
  static std::string name_of(const Compiled& compiled);
  const StepResult& verify(Recorded& recording, Compiled& compiled, StepRequest& request,
                           const KeepsUpdate& keeps);
  std::string mistake(const Recorded& recording, Compiled& compiled, const StepRequest& request);
  std::string more_than_nondeterminism(const Recorded& recording, const Compiled& compiled,
                                       const StepRequest& request,
                                       const std::vector<Tensor>& expected,
                                       const std::string& found);
  std::string more_than_rounding(const Recorded& recording, Compiled& compiled,
                                 const std::vector<Tensor>& expected, const std::string& found);
  bool is_ready(const StepRequest& request) const;
  const StepResult& replay(Compiled& compiled, const StepRequest& request);
  void audit(Recorded& recording, Compiled& compiled, const StepRequest& request);
  std::string changed_operator(const Recorded& recording, const StepRequest& request);
  void name_variables(Recorder& recorder) const;
  void log_recorded(const Recorded& recording, const Compiled& compiled) const;
  void stay_eager(const std::string& why);
  bool lies_in_variable(const Tensor& value, const std::vector<Update>& updates) const;
  void protect(Tensor& value) const;
  Backend& backend() const { return *tower_.context().backend; }

  Tower& tower_;
  RunnerBuffers buffers_;
  StepResult result_;  // of the last eager step
  bool holds_graph_ = false;
  std::vector<Tensor> wanted_leaves_;  // memory that each step reuses
  Workspace workspace_;                // shared by all executables
  std::vector<std::unique_ptr<Recorded>> recordings_;
  Recorded* last_ = nullptr;
  Compiled* last_compiled_ = nullptr;
  bool never_ = false;  // stays eager
  std::string why_;     // the reason for it
  std::unique_ptr<ShapeHistory> shapes_;
  std::unique_ptr<Trials> trials_;
};

}  // namespace broch::tower
