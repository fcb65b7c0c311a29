// optimizers.cpp: lays out flat buffers for apply nodes, and performs updates.
#include "optimizer/optimizers.hpp"

#include <algorithm>
#include <tuple>

#include "mapped_operator.hpp"
#include "optimizer/backend_calls.hpp"
#include "optimizer/name_filter.hpp"

namespace broch::optimizer {

namespace {

constexpr const char* kMaker = "the optimizer";
constexpr size_t kLarge = size_t{1} << 20;  // bytes

std::vector<runtime::Tensor> values_of(const std::vector<runtime::Variable*>& variables) {
  std::vector<runtime::Tensor> values;
  for (const runtime::Variable* variable : variables) values.push_back(variable->value);
  return values;
}

std::vector<int64_t> own_shape(const runtime::Variable& variable) {
  const auto shape = variable.shape.span();
  return {shape.begin(), shape.end()};
}

}  // namespace

// An AfterUpdate of the entry, with the variables of one application.
struct Optimizers::After {
  MappedOperator map;
  bool assigns, with_updates;
  std::vector<runtime::Variable*> variables;

  void run(runtime::Backend& backend) const {
    const auto guard = backend.enter(false, nullptr);
    for (const runtime::Variable* variable : variables) {
      const runtime::Tensor value = map({}, backend.detach(variable->value));
      if (assigns) backend.assign(variable->value, value);
    }
  }
};

Optimizers::Optimizers(tower::RunContext& context)
    : context_(context),
      store_(*context.variables),
      hypers_(*context.hypers),
      add_(store_.backend().resolve(
          "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)")),
      times_(store_.backend().resolve(
          "aten::mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)")),
      zero_(store_.backend().resolve("aten::zero_(Tensor(a!) self) -> Tensor(a!)")),
      lerp_(store_.backend().resolve(
          "aten::lerp_.Scalar(Tensor(a!) self, Tensor end, Scalar weight) -> Tensor(a!)")) {}

Optimizers::~Optimizers() = default;

size_t Optimizers::add(OptimizerSpec spec, std::vector<runtime::Variable*> variables,
                       const std::string& node, const std::string& where) {
  size_t rule = 0;
  while (rule < rules_.size() && rules_[rule].spec != spec) ++rule;
  if (rule == rules_.size()) {
    const bool counts = spec.counts();
    rules_.push_back({std::move(spec), node, where, "", {}, counts});
  }
  applications_.push_back({rule, node, std::move(variables), {}, {}});
  add_after(applications_.back(), where);
  return applications_.size() - 1;
}

void Optimizers::add_after(Application& application, const std::string& where) {
  for (const AfterUpdate& one : rules_[application.rule].spec.after) {
    const NameFilter filter(one.variables, where + ": variables");
    After after{{store_.backend(), one.call}, one.assigns, one.with_updates, {}};
    for (runtime::Variable* variable : application.variables)
      if (filter.takes(*variable)) after.variables.push_back(variable);
    if (after.variables.empty())
      throw base::Error{base::Exit::training,
                        {where + ": variables", base::quoted(one.variables),
                         "an expression that matches a variable that is updated", ""}};
    application.after.push_back(std::make_shared<const After>(std::move(after)));
  }
}

void Optimizers::build() {
  name_hypers();
  make_groups();
  for (; built_ < applications_.size(); ++built_) bind(applications_[built_]);
}

void Optimizers::name_hypers() {
  for (; named_ < rules_.size(); ++named_) {
    Rule& rule = rules_[named_];
    if (rules_.size() > 1) choose_prefix(rule);
    for (const auto& [name, initial] : rule.spec.numbers)
      hypers_.declare(rule.prefix + name, initial, kMaker);
    if (rule.spec.plugin) continue;
    for (const runtime::RuleNumber& number : runtime::update_rule(rule.spec.settings.rule).numbers)
      if (number.member)
        rule.numbers.emplace_back(number.member, &hypers_.number(rule.prefix + number.name));
  }
}

// Two plans may have nodes of the same name, so the prefix is checked.
void Optimizers::choose_prefix(Rule& rule) {
  rule.prefix = rule.node + "/";
  for (size_t i = 0; i < named_; ++i)
    if (rules_[i].prefix == rule.prefix)
      throw base::Error{base::Exit::training,
                        {rule.where, "an optimizer of its own under a name of " + rules_[i].where,
                         "another name, as hyper-parameters are named after the node",
                         "give one of them the option \"name\""}};
}

// Groups the variables that are not in a buffer yet by applications that update them, settings,
// dtype and device, in order of first use.
void Optimizers::make_groups() {
  std::vector<runtime::Variable*> fresh;
  std::map<runtime::Variable*, std::vector<size_t>> users;
  for (size_t i = built_; i < applications_.size(); ++i)
    for (runtime::Variable* variable : applications_[i].variables) {
      if (group_of(variable)) continue;
      if (users[variable].empty()) fresh.push_back(variable);
      users[variable].push_back(i);
    }
  // A large variable under plain descent has a group of its own.
  using Key = std::tuple<std::vector<size_t>, std::vector<double>, broch_dtype, int32_t, int32_t,
                         runtime::Variable*>;
  std::vector<std::pair<Key, std::vector<runtime::Variable*>>> buckets;
  for (runtime::Variable* variable : fresh) {
    const Key key{
        users[variable],        factors_of(*variable, users[variable]),
        variable->dtype,        variable->device.type,
        variable->device.index, descends_alone(*variable, users[variable]) ? variable : nullptr};
    auto bucket = std::ranges::find(buckets, key, [](const auto& entry) { return entry.first; });
    if (bucket == buckets.end()) bucket = buckets.insert(buckets.end(), {key, {}});
    bucket->second.push_back(variable);
  }
  for (const auto& [key, variables] : buckets) {
    Group& group = groups_.emplace_back();
    group.variables = variables;
    group.parameters = store_.lay_out(variables).buffer;
    group.alone = std::get<runtime::Variable*>(key);
    if (!group.alone) group.gradients = store_.backend().flat_zeros_like(values_of(variables));
  }
}

std::vector<double> Optimizers::factors_of(const runtime::Variable& variable,
                                           const std::vector<size_t>& users) const {
  std::vector<double> all;
  for (const size_t application : users) {
    const OptimizerSpec& spec = rules_[applications_[application].rule].spec;
    for (const double factor : spec.groups.factors_for(variable, spec.numbers))
      all.push_back(factor);
  }
  return all;
}

bool Optimizers::descends_alone(const runtime::Variable& variable,
                                const std::vector<size_t>& users) const {
  const auto bytes =
      static_cast<size_t>(variable.shape.elements()) * runtime::dtype_size(variable.dtype);
  return bytes >= kLarge && std::ranges::all_of(users, [&](size_t application) {
           const OptimizerSpec& spec = rules_[applications_[application].rule].spec;
           return spec.settings.rule == runtime::Rule::sgd && spec.niter == 1 && !spec.plugin;
         });
}

Optimizers::Group* Optimizers::group_of(const runtime::Variable* variable) {
  for (Group& group : groups_)
    if (std::ranges::find(group.variables, variable) != group.variables.end()) return &group;
  return nullptr;
}

void Optimizers::bind(Application& application) {
  const auto place_of = [&](runtime::Variable* variable) {
    return static_cast<size_t>(std::ranges::find(application.variables, variable) -
                               application.variables.begin());
  };
  for (Group& group : groups_) {
    Part part{&group, nullptr, {}};
    for (runtime::Variable* variable : group.variables)
      part.positions.push_back(place_of(variable));
    const auto missing = std::ranges::count(part.positions, application.variables.size());
    if (static_cast<size_t>(missing) == part.positions.size()) continue;
    if (missing > 0)
      throw base::Error{
          base::Exit::training,
          {"node '" + application.node + "'",
           "some of the variables that an earlier plan updates together", "all of them or none",
           "make all plans that update variables in the trainer's setup_graph"}};
    part.state = &state_of(group, application.rule);
    application.parts.push_back(std::move(part));
  }
}

Optimizers::State& Optimizers::state_of(Group& group, size_t rule_index) {
  if (const auto found = group.states.find(rule_index); found != group.states.end())
    return found->second;
  const Rule& rule = rules_[rule_index];
  const OptimizerSpec& spec = rule.spec;
  // A second rule for the same variables has its own state.
  const std::string prefix = group.states.empty() ? "/" : "/" + rule.prefix;
  State& state = group.states[rule_index];
  state.factors = spec.groups.factors_for(*group.variables.front(), spec.numbers);
  static_cast<runtime::UpdateSettings&>(state.step) = spec.settings;
  const bool whole = group.alone && spec.settings.rule == runtime::Rule::sgd && !spec.plugin;
  state.step.parameters = whole ? group.variables.front()->value : group.parameters;
  std::vector<runtime::Variable*> slots;
  for (size_t i = 0; const Slot& slot : spec.slots()) {
    const auto shape_of = [&, number = i++](const runtime::Variable& variable) {
      return spec.slot_shape(number, variable);
    };
    const runtime::VariableStore::FlatList list = make_slot(group, slot, prefix, shape_of);
    state.step.slots.push_back(list.buffer);
    slots.insert(slots.end(), list.variables.begin(), list.variables.end());
  }
  const runtime::Variable& first = *group.variables.front();
  if (spec.niter > 1) {
    const runtime::VariableStore::FlatList sums =
        make_slot(group, {"accum_grad"}, prefix, own_shape);
    state.sum = {{sums.buffer, values_of(sums.variables)},
                 {store_, first.bare() + prefix + "accum_step", 0, kMaker, first.replica}};
  }
  if (spec.lookahead.period)
    state.slow = {make_slot(group, {"lookahead"}, prefix, own_shape).buffer,
                  {store_, first.bare() + prefix + "lookahead_step", 0, kMaker, first.replica}};
  if (spec.counts())
    state.count = {store_, first.bare() + prefix + "step", 0, kMaker, first.replica};
  else
    state.step.step = 1;  // each update counts as the first
  if (spec.plugin) state.by_plugin = make_update(group, state, rule, std::move(slots));
  return state;
}

std::unique_ptr<UpdateOperation> Optimizers::make_update(const Group& group, const State& state,
                                                         const Rule& rule,
                                                         std::vector<runtime::Variable*> slots) {
  UpdateOperation::Lists lists{
      group.variables, std::move(slots), {}, state.factors, &state.count.variable()};
  for (const auto& [name, initial] : rule.spec.numbers)
    lists.hypers.push_back(hypers_.variable(rule.prefix + name));
  return std::make_unique<UpdateOperation>(
      context_, *rule.spec.plugin,
      rule.where + " (update from " + group.variables.front()->bare() + " on)", std::move(lists));
}

// Creates one variable for each variable of the group, in one buffer in the same order.
runtime::VariableStore::FlatList Optimizers::make_slot(const Group& group, const Slot& slot,
                                                       const std::string& prefix,
                                                       const ShapeOf& shape_of) {
  std::vector<runtime::Variable*> slots;
  for (const runtime::Variable* variable : group.variables) {
    const std::vector<int64_t> shape = shape_of(*variable);
    broch_variable_spec like{};
    like.struct_size = sizeof like;
    like.dtype = variable->dtype;
    like.rank = static_cast<uint32_t>(shape.size());
    like.shape = shape.data();
    like.initializer = BROCH_INIT_CONSTANT;
    like.a = slot.initial;
    slots.push_back(&store_.create(variable->bare() + prefix + slot.name, like, variable->device,
                                   kMaker, variable->replica));
  }
  return store_.lay_out(slots);
}

std::vector<runtime::Tensor> Optimizers::views_of(size_t application) const {
  std::vector<runtime::Tensor> views(applications_[application].variables.size());
  for (const Part& part : applications_[application].parts) {
    const auto uses = [&](const Application& other) {
      return std::ranges::find(other.parts, part.group, &Part::group) != other.parts.end();
    };
    if (part.group->alone || std::ranges::count_if(applications_, uses) > 1) continue;
    for (size_t i = 0; i < part.positions.size(); ++i)
      views[part.positions[i]] = part.group->gradients.views[i];
  }
  return views;
}

std::vector<bool> Optimizers::takes_rows(size_t application) const {
  std::vector<bool> takes(applications_[application].variables.size());
  for (const Part& part : applications_[application].parts)
    if (reads_in_place(part))
      takes[part.positions.front()] = part.group->variables.front()->shape.rank == 2;
  return takes;
}

std::set<std::string> Optimizers::hypers_of(size_t application) const {
  const Rule& rule = rules_[applications_[application].rule];
  std::set<std::string> names;
  for (const auto& [name, initial] : rule.spec.numbers) names.insert(rule.prefix + name);
  return names;
}

bool Optimizers::remembers_in(const runtime::Variable& variable) {
  return variable.made_by == kMaker;
}

std::vector<runtime::Tensor> Optimizers::slots_of(size_t application) const {
  std::vector<runtime::Tensor> slots;
  const OptimizerSpec& spec = rules_[applications_[application].rule].spec;
  for (const Part& part : applications_[application].parts) {
    const State& state = *part.state;
    slots.insert(slots.end(), state.step.slots.begin(), state.step.slots.end());
    if (spec.counts()) slots.push_back(state.count.variable().value);
    if (spec.lookahead.period) {
      slots.push_back(state.slow.weights);
      slots.push_back(state.slow.updates.variable().value);
    }
    if (spec.niter == 1) continue;
    slots.push_back(state.sum.gradients.buffer);
    slots.push_back(state.sum.runs.variable().value);
  }
  return slots;
}

bool Optimizers::independent(size_t application, size_t other) const {
  const Application &one = applications_[application], &two = applications_[other];
  if (!one.after.empty() || !two.after.empty()) return false;
  if (rules_[one.rule].spec.plugin || rules_[two.rule].spec.plugin) return false;
  return std::ranges::none_of(one.parts, [&](const Part& part) {
    return std::ranges::find(two.parts, part.group, &Part::group) != two.parts.end();
  });
}

std::vector<replay::TowerRunner*> Optimizers::runners() const {
  std::vector<replay::TowerRunner*> runners;
  for (const Group& group : groups_)
    for (const auto& [rule, state] : group.states)
      if (state.by_plugin) runners.push_back(&state.by_plugin->runner());
  return runners;
}

void Optimizers::apply(size_t application, const GradientList& list) {
  const Application& applied = applications_[application];
  const Rule& rule = rules_[applied.rule];
  bool updated = false;
  for (const Part& part : applied.parts) {
    take(part, list);
    updated = rule.spec.niter == 1 || sum_up(part, rule.spec);
    if (updated) update(rule, part);
  }
  for (const auto& after : applied.after)
    if (updated || !after->with_updates) after->run(store_.backend());
}

// Copies the gradients into the layout of the group's variables.
void Optimizers::take(const Part& part, const GradientList& list) {
  runtime::Backend& backend = store_.backend();
  Group& group = *part.group;
  if (reads_in_place(part)) {
    part.state->step.gradients =
        beside(backend, group.parameters, list.gradients[part.positions.front()]);
    return;
  }
  if (!group.gradients.buffer)
    group.gradients = backend.flat_zeros_like(values_of(group.variables));
  part.state->step.gradients = group.gradients.buffer;
  for (size_t i = 0; i < part.positions.size(); ++i)
    backend.assign(group.gradients.views[i], list.gradients[part.positions[i]]);
}

// Adds the gradients to the sum. Returns true in every niter-th step, when the sum is to be
// applied. tensorpack: `AccumGradOptimizer`.
bool Optimizers::sum_up(const Part& part, const OptimizerSpec& spec) {
  runtime::Backend& backend = store_.backend();
  Sum& sum = part.state->sum;
  const auto guard = backend.enter(false, nullptr);
  const runtime::Tensor& total = sum.gradients.buffer;
  call(backend, add_, {raw(total), raw(part.state->step.gradients), raw(int64_t{1})});
  sum.runs.set((sum.runs.get() + 1) % spec.niter);
  part.state->step.gradients = total;
  if (sum.runs.get() != 0) return false;
  if (spec.averages) call(backend, times_, {raw(total), raw(1 / static_cast<double>(spec.niter))});
  return true;
}

// Called after each update. Source: Zhang et al. 2019, "Lookahead Optimizer: k steps forward, 1
// step back", https://arxiv.org/abs/1907.08610, algorithm 1.
void Optimizers::look_ahead(const Lookahead& lookahead, const Part& part) {
  runtime::Backend& backend = store_.backend();
  Slow& slow = part.state->slow;
  slow.updates.set(slow.updates.get() + 1);
  if (slow.updates.get() % lookahead.period != 0) return;
  const auto guard = backend.enter(false, nullptr);
  call(backend, lerp_, {raw(slow.weights), raw(part.group->parameters), raw(lookahead.share)});
  backend.assign(part.group->parameters, slow.weights);
}

void Optimizers::update(const Rule& rule, const Part& part) {
  State& state = *part.state;
  const Lookahead& lookahead = rule.spec.lookahead;
  if (lookahead.period && state.slow.updates.get() == 0)  // the weights may have been loaded
    store_.backend().assign(state.slow.weights, part.group->parameters);
  for (size_t i = 0; i < rule.numbers.size(); ++i) {
    const auto& [member, number] = rule.numbers[i];
    state.step.*member = *number * state.factors[i];
  }
  if (rule.counts) {
    state.count.set(state.count.get() + 1);
    state.step.step = state.count.get();
  }
  if (state.by_plugin)
    state.by_plugin->run(
        rule.spec.niter > 1 ? state.sum.gradients.views : part.group->gradients.views,
        static_cast<uint64_t>(state.step.step));
  else
    store_.backend().update(state.step);
  if (rule.spec.niter > 1) {
    const auto guard = store_.backend().enter(false, nullptr);
    call(store_.backend(), zero_, {raw(state.sum.gradients.buffer)});
  }
  if (reads_in_place(part)) state.step.gradients = {};  // they lie in memory of this step
  if (lookahead.period) look_ahead(lookahead, part);
}

}  // namespace broch::optimizer
