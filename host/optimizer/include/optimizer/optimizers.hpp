// optimizers.hpp: update rules over flat buffers, their slots and hyper-parameters.
//
// Trainables that are updated by the same apply nodes lie in one flat buffer for each dtype and
// device, so that an update is one pass. Slots are variables {variable}/{slot} in the same layout;
// the number of updates is kept in {first variable of the buffer}/step. A second rule over the same
// variables keeps its own: {variable}/{node}/{slot}. A large variable that only plain descent
// updates has a buffer of its own and no place for its gradient, which is read where it is, or of
// which a table gets no more than the rows that were looked up.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "optimizer/gradients.hpp"
#include "optimizer/optimizer_spec.hpp"
#include "optimizer/update_operation.hpp"
#include "runtime/scalar_cell.hpp"

namespace broch::optimizer {

class Optimizers {
 public:
  explicit Optimizers(tower::RunContext& world);
  ~Optimizers();

  // Announces that a node applies a rule to these variables; the same rule in several nodes is one
  // optimizer with one set of slots. place: the node for messages. The number to apply with.
  size_t add(OptimizerSpec spec, std::vector<runtime::Variable*> variables, const std::string& node,
             const std::string& place);
  // Lays out and declares what was added since the last time; before the store is sealed. Several
  // different rules: hyper-parameters are named "{node}/learning_rate", else "learning_rate".
  // Throws base::Error when two of them would share a name.
  void build();

  // Where the gradients of an application's variables are read, as far as nobody else writes there;
  // undefined otherwise. After build.
  std::vector<runtime::Tensor> views_of(size_t application) const;
  // Which of an application's gradients may come as rows of a table. After build.
  std::vector<bool> takes_rows(size_t application) const;

  // What an application's updates remember: slots, sums and counts, with no gaps. After build.
  std::vector<runtime::Tensor> slots_of(size_t application) const;

  // The hyper-parameters that an application's updates read. After build.
  std::set<std::string> hypers_of(size_t application) const;
  // Whether a variable is a slot, a sum or a count.
  static bool remembers_in(const runtime::Variable& variable);

  // Whether updates of both may run at the same time: they share nothing that one of them writes.
  // After build.
  bool independent(size_t application, size_t other) const;

  // How the rules of plugins are run. After build.
  std::vector<tower::TowerRunner*> runners() const;

  // One update. list: as given to add, in the same order.
  void apply(size_t application, const GradientList& list);

 private:
  struct Rule {
    OptimizerSpec spec;
    std::string node;    // the first that used it
    std::string place;   // of that node
    std::string prefix;  // of its hyper-parameters
    std::vector<std::pair<double runtime::UpdateStep::*, const double*>> numbers;  // theirs
    bool counts;                                                                   // its updates
  };
  // Of accum-grad: in {variable}/accum_grad, and in {first variable of the buffer}/accum_step.
  struct Sum {
    runtime::Backend::Flat gradients;
    runtime::ScalarCell<int64_t> runs;  // since the last update
  };
  struct State {
    runtime::UpdateStep step;
    runtime::ScalarCell<int64_t> count;
    Sum sum;
    std::unique_ptr<UpdateOperation> by_plugin;
  };
  struct Group {
    std::vector<runtime::Variable*> variables;
    runtime::Tensor parameters;
    bool alone = false;                // a large variable under plain descent
    runtime::Backend::Flat gradients;  // no buffer as long as none is needed
    std::map<size_t, State> states;    // by rule
  };
  struct Part {
    Group* group;
    State* state;
    std::vector<size_t> positions;  // of the group's variables in the list
  };
  // Its gradient is not copied into the buffer of the group.
  static bool reads_in_place(const Part& part) {
    return part.group->alone && part.state->step.rule == runtime::Rule::sgd &&
           !part.state->by_plugin;
  }
  struct After;
  struct Application {
    size_t rule;
    std::string node;
    std::vector<runtime::Variable*> variables;
    std::vector<Part> parts;
    std::vector<std::shared_ptr<const After>> after;
  };

  void name_hypers();
  void choose_prefix(Rule& rule);
  void make_groups();
  bool descends_alone(const runtime::Variable& variable, const std::vector<size_t>& users) const;
  void bind(Application& application);
  Group* group_of(const runtime::Variable* variable);
  State& state_of(Group& group, size_t rule);
  runtime::VariableStore::FlatList make_slot(const Group& group, const Slot& slot,
                                             const std::string& prefix);
  std::unique_ptr<UpdateOperation> make_update(const Group& group, const State& state,
                                               const Rule& rule,
                                               std::vector<runtime::Variable*> slots);
  void add_after(Application& application, const std::string& place);
  void take(const Part& part, const GradientList& list);
  bool sum_up(const Part& part, const OptimizerSpec& spec);
  void update(const Rule& rule, const Part& part);

  tower::RunContext& world_;
  runtime::VariableStore& store_;
  runtime::HyperParams& hypers_;
  runtime::Operator *add_, *times_, *zero_;
  std::vector<Rule> rules_;
  std::deque<Group> groups_;
  std::vector<Application> applications_;
  size_t built_ = 0;  // applications
  size_t named_ = 0;  // rules
};

}  // namespace broch::optimizer
