// optimizers.hpp: update rules over flat buffers, with their slots and hyper-parameters.
//
// Trainable variables that are updated by the same apply nodes with the same settings lie in one
// flat buffer per dtype and device, so that an update is one pass. Slots are variables
// {variable}/{slot} in one buffer in the same order. The number of updates is stored in {first
// variable of the buffer}/step. A second rule for the same variables has its own slots:
// {variable}/{node}/{slot}. A large variable that is only updated by plain gradient descent is a
// buffer by itself. It has no buffer for its gradient, which is read where it is; the gradient of
// an embedding table then consists only of the rows that were looked up. A rule may put sums of
// gradients through processors first; then all sums of an apply node are complete in the same run.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "optimizer/gradient_operation.hpp"
#include "optimizer/gradients.hpp"
#include "optimizer/optimizer_spec.hpp"
#include "optimizer/update_operation.hpp"
#include "runtime/scalar_cell.hpp"

namespace broch::optimizer {

class Optimizers {
 public:
  explicit Optimizers(tower::RunContext& context);
  ~Optimizers();

  // Makes the chain of a rule's sum_processors.
  using MakeChain =
      std::function<std::unique_ptr<GradientOperation>(std::vector<runtime::Variable*>)>;
  // Announces that a node applies a rule to these variables. The same rule in several nodes is one
  // optimizer with one set of slots. where: the node, for messages. make_chain: called if the rule
  // has sum_processors. Returns the number of the application.
  size_t add(OptimizerSpec spec, std::vector<runtime::Variable*> variables, const std::string& node,
             const std::string& where, const MakeChain& make_chain = {});
  // Lays out and declares what was added since the last call. Must precede the sealing of the
  // store. With several different rules, hyper-parameters are named "{node}/learning_rate", else
  // "learning_rate". Throws base::Error if two of them would have the same name.
  void build();

  // The buffers from which the gradients of an application's variables are read, if nobody else
  // writes there; else undefined. After build.
  std::vector<runtime::Tensor> views_of(size_t application) const;
  // For each gradient of an application, whether it may be sparse, as rows of a table. After
  // build.
  std::vector<bool> takes_rows(size_t application) const;

  // The state of an application's updates: slots, sums and counts, without gaps. After build.
  // REQUIRES: not processes_sums.
  std::vector<runtime::Tensor> slots_of(size_t application) const;

  // The variables of an application but those that its sum_processors leave out.
  const std::vector<runtime::Variable*>& updated_by(size_t application) const;
  // Names of the hyper-parameters that an application's updates read. After build.
  std::set<std::string> hypers_of(size_t application) const;
  // Whether a variable holds such state: a slot, a sum or a count.
  static bool remembers_in(const runtime::Variable& variable);

  // Whether updates of both applications may run at the same time, because neither writes what the
  // other uses. After build.
  bool independent(size_t application, size_t other) const;

  // The runners of rules from plugins and of sum_processors. After build.
  std::vector<replay::TowerRunner*> runners() const;
  // Moving averages that sum_processors update.
  std::vector<tower::Moving> averages() const;

  // Performs one update. list: the variables given to add, in the same order. REQUIRES: not
  // processes_sums.
  void apply(size_t application, const GradientList& list);
  // Whether the rule has sum_processors.
  bool processes_sums(size_t application) const {
    return applications_[application].chain != nullptr;
  }
  // Adds the gradients to the sums. In every niter-th run puts these through the processors and
  // performs one update. number: of the hooked run. REQUIRES: processes_sums.
  void apply_sums(size_t application, const GradientList& list, uint64_t number,
                  const WatchContext& now);

 private:
  struct Rule {
    OptimizerSpec spec;
    std::string node;    // the first node that used it
    std::string where;   // that node, for messages
    std::string prefix;  // of the names of its hyper-parameters
    // Hyper-parameters: the member of a step, and its value.
    std::vector<std::pair<double runtime::UpdateStep::*, const double*>> numbers;
    bool counts;  // whether it needs the number of the update
  };
  // State of accum-grad, in {variable}/accum_grad and {first variable of the buffer}/accum_step.
  struct Sum {
    runtime::Backend::Flat gradients;
    runtime::ScalarCell<int64_t> runs;  // number of steps since the last update
  };
  // State of lookahead, in {variable}/lookahead and {first variable of the buffer}/lookahead_step.
  struct Slow {
    runtime::Tensor weights;
    runtime::ScalarCell<int64_t> updates;
  };
  struct State {
    runtime::UpdateStep step;
    runtime::ScalarCell<int64_t> count;
    Sum sum;
    Slow slow;
    std::unique_ptr<UpdateOperation> by_plugin;
    std::vector<double> factors;  // of the rule's numbers
  };
  struct Group {
    std::vector<runtime::Variable*> variables;
    runtime::Tensor parameters;
    bool alone = false;                // a large variable under plain gradient descent
    runtime::Backend::Flat gradients;  // the buffer is made when it is first needed
    std::map<size_t, State> states;    // by number of the rule
  };
  // What all variables of a group have in common.
  struct GroupKey {
    std::vector<size_t> users;    // applications that have them
    std::vector<double> factors;  // settings, of each of these
    std::vector<bool> updated;    // by each of these
    broch_dtype dtype;
    runtime::Device device;
    const runtime::Variable* alone;  // the only one; nullptr: others may join
    bool operator==(const GroupKey&) const = default;
  };
  struct Part {
    Group* group;
    State* state;
    std::vector<size_t> positions;  // of the group's variables in the list
    bool updates;  // false: sum_processors see the sums and leave these variables out
  };
  // Whether the gradient is read in place and not copied to the buffer of the group.
  static bool reads_in_place(const Part& part) {
    return part.group->alone && part.state->step.rule == runtime::Rule::sgd &&
           !part.state->by_plugin && !part.state->sum.gradients.buffer;
  }
  struct After;
  struct Application {
    size_t rule;
    std::string node;
    std::vector<runtime::Variable*> variables;
    std::shared_ptr<GradientOperation> chain;  // of sum_processors; nullptr: there are none
    std::vector<Part> parts;
    std::vector<std::shared_ptr<const After>> after;

    // Whether the variable is updated.
    bool updates(const runtime::Variable& variable) const;
  };

  // Recorded as the maker of slots and hyper-parameters.
  static constexpr const char* kMaker = "the optimizer";

  static std::vector<runtime::Tensor> values_of(const std::vector<runtime::Variable*>& variables);
  void name_hypers();
  void choose_prefix(Rule& rule);
  std::shared_ptr<GradientOperation> chain_of(const Application& application,
                                              const MakeChain& make_chain) const;
  void make_groups();
  void make_group(const GroupKey& key, const std::vector<runtime::Variable*>& variables);
  GroupKey key_of(const runtime::Variable& variable, const std::vector<size_t>& users) const;
  std::vector<double> factors_of(const runtime::Variable& variable,
                                 const std::vector<size_t>& users) const;
  bool descends_alone(const runtime::Variable& variable, const std::vector<size_t>& users) const;
  void bind(Application& application);
  void require_whole(const Group& group, const Application& application, bool partly) const;
  void require_same_list(const Group& group, const Application& application) const;
  Group* group_of(const runtime::Variable* variable);
  State& state_of(Group& group, size_t rule, bool updates);
  Sum make_sum(const Group& group, const std::string& prefix);
  void prepare_updates(State& state, const Group& group, const Rule& rule,
                       const std::string& prefix);
  using ShapeOf = std::function<std::vector<int64_t>(const runtime::Variable&)>;
  runtime::VariableStore::FlatList make_slot(const Group& group, const Slot& slot,
                                             const std::string& prefix, const ShapeOf& shape_of);
  std::unique_ptr<UpdateOperation> make_update(const Group& group, const State& state,
                                               const Rule& rule,
                                               std::vector<runtime::Variable*> slots);
  void add_after(Application& application, const std::string& where);
  void take(const Part& part, const GradientList& list);
  bool sum_up(const Part& part, const OptimizerSpec& spec);
  void process_sums(const Application& applied, uint64_t number, const WatchContext& now);
  void clear_sum(const Part& part);
  void update(const Rule& rule, const Part& part);
  void look_ahead(const Lookahead& lookahead, const Part& part);

  tower::RunContext& context_;
  runtime::VariableStore& store_;
  runtime::HyperParams& hypers_;
  runtime::Operator *add_, *times_, *zero_, *lerp_;
  std::vector<Rule> rules_;
  std::deque<Group> groups_;
  std::vector<Application> applications_;
  size_t built_ = 0;  // number of applications that build has handled
  size_t named_ = 0;  // number of rules that have a prefix
};

}  // namespace broch::optimizer
