// tower.hpp: towers: the context of a tower function call, what a call registered, running it.
//
// A tower is defined once on fabricated inputs; what that call registers is then fixed. Each later
// call must register the same (a description has no state) and is executed eagerly here. A recorded
// program can take the place of Tower::run without a change above or below.
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
#include "tower/names.hpp"
#include "tower/tower_result.hpp"

namespace broch::tower {

class Definition;
class TowerCall;

struct TowerSpec {
  std::string name;     // "", "tower0", "tower-pred-0"
  std::string vs_name;  // "", "tower1": prefix of its variables' replica, not of their names
  uint32_t index = 0;
  uint32_t total = 1;
  bool training = true;
  bool owns_variables = true;  // not under reuse
  Device device;
  // Those that variables made by it are spread over; none: its own.
  std::vector<Device> variable_devices;
  bool operation = false;  // of ext/graph.h: every anchor is good, no cost, nothing is frozen
  bool is_main() const { return training && index == 0; }
};

// What a call registered, without values: the fixed part. In order of the calls.
struct Registration {
  std::vector<std::string> variables;
  std::vector<std::string> published;  // "name float32 (2, 10)" is compared by name, dtype and rank
  std::vector<std::string> collections;  // "UPDATE_OPS[2]"
  std::vector<std::string> updates;      // "variable @ anchor"
  std::vector<std::string> summaries;
  bool has_cost = false;
  // "" when equal, else the first difference in words.
  std::string difference(const Registration& later) const;
};

// What a call put somewhere under one name.
struct Collection {
  struct Member {
    std::string published;  // "" for none
    std::string what;       // in words: "the update of variable 'x'"
  };
  std::string name;
  std::vector<Member> members;
};

// Takes the cost while its handle is alive, that is before the plugin's call is closed. Does not
// throw.
using KeepCost = std::function<void(broch_tensor cost)>;
// The function a tower runs: a model's, or an operation's of ext/graph.h. Answers through keep.
using TowerFunction = std::function<void(broch_tower tower, const broch_tensor* inputs, uint32_t n,
                                         const KeepCost& keep)>;
// REQUIRES: the model's instance outlives the function.
TowerFunction model_function(const abi::Model& model);

struct RunInputs {
  std::vector<Tensor> inputs;                        // by position; undefined: not fed
  std::map<std::string, Tensor, std::less<>> feeds;  // published names, or inputs by name
  uint64_t hooked_run = 0;                           // counter of the draws

  void clear();  // keeps its memory
};

// Tower calls, and derivatives, of one model instance take turns.
class InstanceLocks {
 public:
  std::recursive_mutex& of(const abi::Instance& instance);

 private:
  std::mutex mutex_;
  std::map<const abi::Instance*, std::recursive_mutex> locks_;
};
// Held during such a call. Towers that meet take turns among themselves, under the lock of whoever
// runs them.
class InstanceLock {
 public:
  explicit InstanceLock(std::recursive_mutex& lock);

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

// Whether towers are replayed from recordings: automatic falls back to eager where one cannot be,
// recorded makes that an error, audit compares again and again.
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
  uint32_t ranks = 1;  // that train
  Device device;       // of variables and operations made outside towers
  Execution execution = Execution::automatic;
  Level level = Level::bitwise;
  std::set<std::string, std::less<>> without;  // passes that are left out
  bool in_run = false;  // set while a hooked run executes: operations are then refused
  std::shared_ptr<InstanceLocks> locks = std::make_shared<InstanceLocks>();
  std::shared_ptr<OperatorTable> operators = std::make_shared<OperatorTable>();
};

class Tower {
 public:
  Tower(RunContext& world, TowerSpec spec, std::vector<abi::InputSpec> signature,
        TowerFunction function, abi::Instance& instance);
  ~Tower();
  Tower(const Tower&) = delete;
  Tower& operator=(const Tower&) = delete;

  // Calls the function on example (undefined entries: zeros, unknown dimensions 2). A transaction:
  // nothing but names and new variables remains. Once, before run. [main]
  void define(std::vector<Tensor> example);

  // Checks feeds and completes inputs as run does.
  void bind(RunInputs& inputs) const;
  // Runs the function; unfed inputs are zeros with dimensions bound through their names. Throws
  // base::Error naming the difference when it registers something else than before. One run of a
  // tower at a time, and none inside a tower function.
  TowerResult run(RunInputs inputs, bool gradients);
  // The same with memory that the caller keeps from run to run: takes inputs, fills result.
  void run(RunInputs& inputs, bool gradients, TowerResult& result);

  RunContext& world() const { return *world_; }
  abi::Instance& instance() const { return *instance_; }
  const TowerSpec& spec() const { return spec_; }
  std::recursive_mutex& lock() const { return *lock_; }
  const std::vector<abi::InputSpec>& signature() const { return signature_; }
  const Registration& registration() const { return registration_; }
  // With members that were not dropped, in order of their first; fixed by define.
  const std::vector<Collection>& collections() const;
  // Whether its steps wait for those of the other towers; see TowerMeeting.
  bool meets() const { return meets_; }
  // Trainable variables this tower read, in order of first use; fixed by define.
  const std::vector<Variable*>& trainables() const { return trainables_; }
  bool publishes(std::string_view name) const { return index_of(name) >= 0; }  // inputs included
  // Inputs first, then the others in the order of the calls: the order of TowerResult::published.
  const std::vector<std::string>& published_names() const { return published_; }
  int index_of(std::string_view name) const;  // in that order; -1: not published
  // Dependencies as they were in define; see TowerResult::depends.
  bool depends(std::string_view name, std::string_view ancestor) const {
    return defined_result_.depends(name, ancestor);
  }
  // "tower 'tower0' of model 'x'": how messages name it.
  std::string describe() const;

 private:
  void call(RunInputs& inputs, bool gradients, bool defining, TowerResult& result);
  void bind_inputs(RunInputs& inputs) const;
  void check_feeds(const RunInputs& inputs) const;

  RunContext* world_;
  TowerSpec spec_;
  std::vector<abi::InputSpec> signature_;
  TowerFunction function_;
  abi::Instance* instance_;
  std::recursive_mutex* lock_;
  std::unique_ptr<Definition> definition_;
  std::unique_ptr<TowerCall> call_;  // its memory serves every run
  Registration registration_;
  TowerResult defined_result_;  // tags only
  std::vector<Variable*> trainables_;
  std::vector<std::string> published_;
  bool meets_ = false;
};

// Writes a run's updates together: a value may alias a variable that another one writes.
void commit(Backend& backend, std::span<const Update> updates);

}  // namespace broch::tower
