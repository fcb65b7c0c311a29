// optimizers.cpp: from apply nodes to flat buffers, and one update.
#include "train/optimizers.hpp"

#include <algorithm>
#include <tuple>

namespace broch::train {

namespace {

constexpr const char* kMaker = "the optimizer";
constexpr size_t kLarge = size_t{1} << 20;  // bytes

std::vector<runtime::Tensor> values_of(const std::vector<runtime::Variable*>& variables) {
  std::vector<runtime::Tensor> values;
  for (const runtime::Variable* variable : variables) values.push_back(variable->value);
  return values;
}

double runtime::UpdateStep::*member_of(const std::string& name) {
  using runtime::UpdateStep;
  static const std::map<std::string, double UpdateStep::*, std::less<>> kMembers = {
      {"learning_rate", &UpdateStep::learning_rate},
      {"momentum", &UpdateStep::momentum},
      {"dampening", &UpdateStep::dampening},
      {"beta1", &UpdateStep::beta1},
      {"beta2", &UpdateStep::beta2},
      {"eps", &UpdateStep::eps},
      {"weight_decay", &UpdateStep::weight_decay}};
  return kMembers.at(name);
}

}  // namespace

size_t Optimizers::add(OptimizerSpec spec, std::vector<runtime::Variable*> variables,
                       const std::string& node, const std::string& place) {
  size_t rule = 0;
  while (rule < rules_.size() && rules_[rule].spec != spec) ++rule;
  if (rule == rules_.size()) rules_.push_back({std::move(spec), node, place, "", {}});
  applications_.push_back({rule, node, std::move(variables), {}});
  return applications_.size() - 1;
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
    for (const auto& [name, initial] : rule.spec.numbers) {
      hypers_.declare(rule.prefix + name, initial, kMaker);
      rule.numbers.emplace_back(member_of(name), &hypers_.number(rule.prefix + name));
    }
  }
}

// Node names are unique in a plan only.
void Optimizers::choose_prefix(Rule& rule) {
  rule.prefix = rule.node + "/";
  for (size_t i = 0; i < named_; ++i)
    if (rules_[i].prefix == rule.prefix)
      throw base::Error{base::Exit::training,
                        {rule.place, "an optimizer of its own under a name of " + rules_[i].place,
                         "another name, as hyper-parameters are named after the node",
                         "give one of them the option \"name\""}};
}

// Variables that lie in no buffer yet, by who updates them, dtype and device; in order of first
// use.
void Optimizers::make_groups() {
  std::vector<runtime::Variable*> fresh;
  std::map<runtime::Variable*, std::vector<size_t>> users;
  for (size_t i = built_; i < applications_.size(); ++i)
    for (runtime::Variable* variable : applications_[i].variables) {
      if (group_of(variable)) continue;
      if (users[variable].empty()) fresh.push_back(variable);
      users[variable].push_back(i);
    }
  // By the users, dtype and device; a large one by itself.
  using Key = std::tuple<std::vector<size_t>, broch_dtype, int32_t, int32_t, runtime::Variable*>;
  std::vector<std::pair<Key, std::vector<runtime::Variable*>>> buckets;
  for (runtime::Variable* variable : fresh) {
    const Key key{users[variable], variable->dtype, variable->device.type, variable->device.index,
                  descends_alone(*variable, users[variable]) ? variable : nullptr};
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

bool Optimizers::descends_alone(const runtime::Variable& variable,
                                const std::vector<size_t>& users) const {
  const auto bytes =
      static_cast<size_t>(variable.shape.elements()) * runtime::dtype_size(variable.dtype);
  return bytes >= kLarge && std::ranges::all_of(users, [&](size_t application) {
           return rules_[applications_[application].rule].spec.rule == runtime::Rule::sgd;
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
    for (runtime::Variable* variable : group.variables) part.places.push_back(place_of(variable));
    const auto missing = std::ranges::count(part.places, application.variables.size());
    if (static_cast<size_t>(missing) == part.places.size()) continue;
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
  const OptimizerSpec& spec = rules_[rule_index].spec;
  State& state = group.states[rule_index];
  state.step.rule = spec.rule;
  state.step.nesterov = spec.nesterov;
  const bool whole = group.alone && spec.rule == runtime::Rule::sgd;
  state.step.parameters = whole ? group.variables.front()->value : group.parameters;
  for (const std::string& slot : slot_names(spec.rule)) {
    std::vector<runtime::Variable*> slots;
    for (const runtime::Variable* variable : group.variables) {
      broch_variable_spec like{};
      like.struct_size = sizeof like;
      like.dtype = variable->dtype;
      like.rank = variable->shape.rank;
      like.shape = variable->shape.dims.data();
      like.initializer = BROCH_INIT_CONSTANT;
      slots.push_back(&store_.create(variable->bare() + "/" + slot, like, variable->device, kMaker,
                                     variable->replica));
    }
    state.step.slots.push_back(store_.lay_out(slots).buffer);
  }
  const runtime::Variable& first = *group.variables.front();
  if (state.step.slots.empty())
    state.step.step = 1;  // each update is like the first: no need to count
  else
    state.count = {store_, first.bare() + "/step", 0, kMaker, first.replica};
  return state;
}

std::vector<runtime::Tensor> Optimizers::views_of(size_t application) const {
  std::vector<runtime::Tensor> views(applications_[application].variables.size());
  for (const Part& part : applications_[application].parts) {
    const auto uses = [&](const Application& other) {
      return std::ranges::find(other.parts, part.group, &Part::group) != other.parts.end();
    };
    if (part.group->alone || std::ranges::count_if(applications_, uses) > 1) continue;
    for (size_t i = 0; i < part.places.size(); ++i)
      views[part.places[i]] = part.group->gradients.views[i];
  }
  return views;
}

std::vector<bool> Optimizers::takes_rows(size_t application) const {
  std::vector<bool> takes(applications_[application].variables.size());
  for (const Part& part : applications_[application].parts)
    if (reads_in_place(part))
      takes[part.places.front()] = part.group->variables.front()->shape.rank == 2;
  return takes;
}

void Optimizers::apply(size_t application, const GradientList& list) {
  const Application& applied = applications_[application];
  for (const Part& part : applied.parts) {
    State& state = *part.state;
    for (const auto& [member, number] : rules_[applied.rule].numbers) state.step.*member = *number;
    if (!state.step.slots.empty()) {
      state.count.set(state.count.get() + 1);
      state.step.step = state.count.get();
    }
    update(part, list);
  }
}

void Optimizers::update(const Part& part, const GradientList& list) {
  runtime::Backend& backend = store_.backend();
  Group& group = *part.group;
  runtime::UpdateStep& step = part.state->step;
  if (reads_in_place(part)) {
    step.gradients = list.gradients[part.places.front()];
    backend.update(step);
    step.gradients = {};  // memory of the run
    return;
  }
  if (!group.gradients.buffer)
    group.gradients = backend.flat_zeros_like(values_of(group.variables));
  step.gradients = group.gradients.buffer;
  for (size_t i = 0; i < part.places.size(); ++i)
    backend.assign(group.gradients.views[i], list.gradients[part.places[i]]);
  backend.update(step);
}

}  // namespace broch::train
