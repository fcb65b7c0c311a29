// tower.hpp: a tower, the context in which a tower function is called.
//
// A tower is defined by a first call on made-up inputs. What that call registers is fixed: each
// later call must register the same, because a tower function is a description and has no state.
// Tower::run executes eagerly; replay::TowerRunner can replay a recorded program instead.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "abi/roles.hpp"
#include "runtime/operator_table.hpp"
#include "runtime/point.hpp"
#include "runtime/program.hpp"
#include "runtime/variables.hpp"
#include "tower/call_tape.hpp"
#include "tower/layer_cost.hpp"
#include "tower/names.hpp"
#include "tower/tower_result.hpp"

namespace broch::tower {

class Definition;
class TowerCall;

struct TowerSpec {
  std::string name;     // "", "tower0", "tower-pred-0"
  std::string vs_name;  // "", "tower1": replica of its variables; not in their names
  uint32_t index = 0;
  uint32_t total = 1;
  bool training = true;
  bool owns_variables = true;  // false under reuse
  Device device;
  // The devices over which new variables are spread; empty: the tower's own device.
  std::vector<Device> variable_devices;
  bool operation =
      false;  // from ext/operation.h: any anchor is allowed, no cost, nothing is frozen
  bool is_main() const { return training && index == 0; }
};

// What a call registered, without values, in the order of the registrations. This part is fixed.
struct Registration {
  std::vector<std::string> variables;
  std::vector<std::string> published;    // "name float32 (2, 10)", compared by name, dtype and rank
  std::vector<std::string> collections;  // "UPDATE_OPS[2]"
  std::vector<std::string> updates;      // "variable @ anchor"
  std::vector<std::string> summaries;
  bool has_cost = false;
  // Returns "" if both are equal, else the first difference as text.
  std::string difference(const Registration& later) const;
};

// All that a call added to one collection.
struct Collection {
  struct Member {
    std::string published;  // its published name; "" if it has none
    std::string what;       // a description: "the update of variable 'x'"
  };
  std::string name;
  std::vector<Member> members;
};

// Stores the cost. Called while the handle is still valid, that is, before the call into the
// plugin ends. Does not throw.
using KeepCost = std::function<void(broch_tensor cost)>;
// The function that a tower runs, of a model or of an operation (ext/operation.h). It passes its
// cost to `keep`.
using TowerFunction = std::function<void(broch_tower tower, const broch_tensor* inputs, uint32_t n,
                                         const KeepCost& keep)>;
// REQUIRES: the model's instance outlives the function.
TowerFunction model_function(const abi::Model& model);

struct RunInputs {
  std::vector<Tensor> inputs;                        // by position; undefined: not fed
  std::map<std::string, Tensor, std::less<>> feeds;  // by published name or by name of an input
  uint64_t hooked_run = 0;                           // counter for random draws

  void clear();  // keeps the allocated memory
};

// One lock per model instance: its tower functions and their derivatives are computed one at a
// time.
class InstanceLocks {
 public:
  std::recursive_mutex& of(const abi::Instance& instance);

 private:
  std::mutex mutex_;
  std::map<const abi::Instance*, std::recursive_mutex> locks_;
};
// Holds the lock during such a call. Does nothing inside a TowerMeeting, where whoever runs the
// towers holds the lock and the towers themselves alternate.
class InstanceLock {
 public:
  explicit InstanceLock(std::recursive_mutex& lock);

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

// Whether towers are replayed from recordings. automatic: a tower that cannot be recorded runs
// eagerly; recorded: that is an error; audit: programs are compared with eager steps again and
// again.
enum class Execution : uint8_t { automatic, recorded, eager, audit };

// Shared by all towers of a run.
struct RunContext {
  Backend* backend = nullptr;
  VariableStore* variables = nullptr;
  HyperParams* hypers = nullptr;
  std::function<int64_t()> global_step;
  std::function<int64_t()> epoch_num;
  uint64_t root_seed = 0;
  uint32_t rank = 0;
  uint32_t ranks = 1;  // number of ranks that train
  Device device;       // of variables and operations that are made outside of towers
  Execution execution = Execution::automatic;
  Level level = Level::bitwise;
  bool bf16 = false;                           // towers compute with Backend::mix_precision
  std::set<std::string, std::less<>> without;  // compiler passes to leave out
  bool in_run = false;  // true while a hooked run executes; operations are refused then
  std::shared_ptr<InstanceLocks> locks = std::make_shared<InstanceLocks>();
  std::shared_ptr<OperatorTable> operators = std::make_shared<OperatorTable>();
};

class Tower {
 public:
  Tower(RunContext& context, TowerSpec spec, std::vector<abi::InputSpec> signature,
        TowerFunction function, abi::Instance& instance);
  ~Tower();
  Tower(const Tower&) = delete;
  Tower& operator=(const Tower&) = delete;

  // Calls the function on `example`; undefined entries become zeros, with size 2 for unknown
  // dimensions. Nothing remains afterwards except names and new variables. Call it once, before
  // run. [main]
  void define(std::vector<Tensor> example);

  // Throws base::Error if this cannot be fed as that input. input: its place in the signature.
  void check_fed(size_t input, const Tensor& fed) const;
  // Checks the feeds and completes the inputs, as run does.
  void bind(RunInputs& inputs) const;
  // Calls the function. Inputs that are not fed are zeros; their named dimensions take the sizes
  // of fed inputs. Throws base::Error that names the difference if the call registers something
  // else than define. A tower runs once at a time, and never inside a tower function.
  TowerResult run(RunInputs inputs, bool gradients);
  // The same with memory that the caller reuses from run to run: moves from inputs, fills result.
  void run(RunInputs& inputs, bool gradients, TowerResult& result);
  // Runs it once, with gradients if it trains, and drops the result. What follows the last
  // published name is not in the list. [main]
  std::vector<LayerCost> measure_layers(std::vector<Tensor> inputs);
  // The same, and tells the tape what the call does. No kernel of a plugin is called. [main]
  TowerResult run_on(CallTape& tape, RunInputs inputs);

  RunContext& context() const { return *context_; }
  abi::Instance& instance() const { return *instance_; }
  const TowerSpec& spec() const { return spec_; }
  std::recursive_mutex& lock() const { return *lock_; }
  const std::vector<abi::InputSpec>& signature() const { return signature_; }
  const Registration& registration() const { return registration_; }
  // Collections with members that are not frozen, ordered by their first use. Fixed by define.
  const std::vector<Collection>& collections() const;
  // Whether its steps wait for the steps of the other towers; see TowerMeeting.
  bool meets() const { return meets_; }
  // Trainable variables that this tower read, in order of first use. Fixed by define.
  const std::vector<Variable*>& trainables() const { return trainables_; }
  bool publishes(std::string_view name) const { return index_of(name) >= 0; }  // includes inputs
  // Inputs first, then the others in the order they were published. TowerResult::published has
  // this order.
  const std::vector<std::string>& published_names() const { return published_; }
  int index_of(std::string_view name) const;  // position in published_names(); -1: not published
  // Dependencies as found by define; see TowerResult::depends.
  bool depends(std::string_view name, std::string_view ancestor) const {
    return defined_result_.depends(name, ancestor);
  }
  // The tower's name in messages: "tower 'tower0' of model 'x'".
  std::string describe() const;

 private:
  void call(RunInputs& inputs, bool gradients, bool defining, TowerResult& result);
  void bind_inputs(RunInputs& inputs) const;
  void check_feeds(const RunInputs& inputs) const;

  RunContext* context_;
  TowerSpec spec_;
  std::vector<abi::InputSpec> signature_;
  TowerFunction function_;
  abi::Instance* instance_;
  std::recursive_mutex* lock_;
  std::unique_ptr<Definition> definition_;
  std::unique_ptr<TowerCall> call_;  // reused by every run
  Registration registration_;
  TowerResult defined_result_;  // has tags only, no tensors
  std::vector<Variable*> trainables_;
  std::vector<std::string> published_;
  bool meets_ = false;
};

// Writes all updates of a step as if at once: a value may lie in the memory of a variable that
// another update writes.
void commit(VariableStore& variables, std::span<const Update> updates);

}  // namespace broch::tower
