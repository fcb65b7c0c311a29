// tower_runner.hpp: a tower as one of its users runs it: eagerly at first, then by a recorded
// program.
//
// The first run with inputs of some shape is recorded. A program is used once it has given, on
// other data than it was recorded on, what the eager step gave there: exactly, or at level fast
// nearly. What cannot be replayed stays eager, and one line of the log says why.
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

// Who wants to know, in the middle of a step, that some gradients are there.
class GradientSink {
 public:
  virtual ~GradientSink() = default;
  // All gradients of that part are in their places. By the thread of the tower; not in each step:
  // eager ones tell nothing.
  virtual void ready(uint32_t part) = 0;
};

// Derivatives of one cost of a tower.
struct GradientRequest {
  std::string name;                 // for messages
  std::optional<std::string> cost;  // published name; none: what the tower function returned
  std::vector<Variable*> variables;
  std::vector<size_t> leaves;   // their indices in TowerResult::leaves when last looked
  std::vector<Tensor> buffers;  // memory in which they are wanted, if any; see CompileOptions
  std::vector<bool> rows;       // whether they may come as rows, if any; see CompileOptions
  GradientSink* sink = nullptr;
  std::vector<uint32_t> parts;  // with a sink: of each gradient
  bool keep_graph = false;      // another request of the same tower follows
  mutable bool warned = false;
};

// What somebody reads of a run.
struct Wanted {
  std::vector<uint32_t> published;  // by index; ascending
  bool summaries = false, moving = false;
  bool hooked = false, evaluation = false;  // decide which updates belong to the run
  bool operator==(const Wanted&) const = default;
  void publish(uint32_t index);  // adds it, once
};

struct StepRequest {
  RunInputs inputs;
  std::vector<const GradientRequest*> gradients;
  Wanted wanted;

  void clear();  // keeps its memory
};

struct StepResult {
  TowerResult tower;                           // what is not wanted may be undefined
  std::vector<std::vector<Tensor>> gradients;  // by request; never undefined
};

// Memory outside of a runner, for good; undefined or left out: anywhere. See CompileOptions.
struct RunnerBuffers {
  std::vector<Tensor> inputs;     // by position: where they stand when a program runs
  std::vector<Tensor> published;  // by index: where they are wanted
};

// Which updates belong to a run.
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
  // Takes the inputs. Nothing in the result but update values lies in memory of a variable. Valid
  // until release or the next run.
  const StepResult& run(StepRequest& request, const KeepsUpdate& keeps);
  // Whether run would now replay a program that calls nobody's code but operators, so that it may
  // be called on any thread. Completes the inputs.
  bool replays_alone(StepRequest& request);
  // Drops the graph of an eager run.
  void release();

  // "recorded", "recorded at its first data point", "eager: …"; for people.
  std::string state() const;
  // It stays eager, or the program that ran last gave what the eager step gives.
  bool decided() const;
  // What comparisons with the eager step came to and which shapes were met, where later bits depend
  // on it (level fast); "": nothing yet. A run that goes on with the same settings takes it over:
  // its own comparisons and its first shapes would be others.
  std::string decision() const;
  void take_over(const std::string& decision);
  // The program that ran last, and what it became; nullptr while there is none.
  const RecordedProgram* program() const;
  Executable* executable() const;
  double record_milliseconds() const;  // of that program

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
  void know_variables(Recorder& recorder) const;
  void tell(const Recorded& recording, const Compiled& compiled) const;
  void stay_eager(const std::string& why);
  bool lies_in_variable(const Tensor& value, const std::vector<Update>& updates) const;
  void protect(Tensor& value) const;
  Backend& backend() const { return *tower_.world().backend; }

  Tower& tower_;
  RunnerBuffers buffers_;
  StepResult result_;  // of the last eager run
  bool holds_graph_ = false;
  std::vector<Tensor> of_;  // what is differentiated: memory that goes from step to step
  Workspace workspace_;     // of all executables
  std::vector<std::unique_ptr<Recorded>> recordings_;
  Recorded* last_ = nullptr;
  Compiled* last_compiled_ = nullptr;
  bool never_ = false;  // stays eager
  std::string why_;     // and the reason
  std::unique_ptr<ShapeHistory> shapes_;
  std::unique_ptr<Trials> trials_;
};

}  // namespace broch::tower
