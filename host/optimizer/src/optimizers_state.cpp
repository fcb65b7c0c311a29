// optimizers_state.cpp: what a rule remembers of the variables of a buffer: slots, sums and counts.
#include "optimizer/optimizers.hpp"

namespace broch::optimizer {

namespace {

std::vector<int64_t> own_shape(const runtime::Variable& variable) {
  const auto shape = variable.shape.span();
  return {shape.begin(), shape.end()};
}

}  // namespace

// updates: if false, the state is a sum alone.
Optimizers::State& Optimizers::state_of(Group& group, size_t rule_index, bool updates) {
  if (const auto found = group.states.find(rule_index); found != group.states.end())
    return found->second;
  const Rule& rule = rules_[rule_index];
  const OptimizerSpec& spec = rule.spec;
  // A second rule for the same variables has its own state.
  const std::string prefix = group.states.empty() ? "/" : "/" + rule.prefix;
  State& state = group.states[rule_index];
  state.factors = spec.groups.factors_for(*group.variables.front(), spec.numbers);
  static_cast<runtime::UpdateSettings&>(state.step) = spec.settings;
  const bool is_whole = group.alone && spec.is_plain_descent();
  state.step.parameters = is_whole ? group.variables.front()->value : group.parameters;
  if (spec.niter > 1) state.sum = make_sum(group, prefix);
  if (updates) prepare_updates(state, group, rule, prefix);
  return state;
}

Optimizers::Sum Optimizers::make_sum(const Group& group, const std::string& prefix) {
  const runtime::VariableStore::FlatList sums = make_slot(group, {"accum_grad"}, prefix, own_shape);
  const runtime::Variable& first = *group.variables.front();
  return {{sums.buffer, values_of(sums.variables)},
          {store_, first.bare() + prefix + "accum_step", 0, kMaker, first.replica}};
}

// Gives the state what an update reads besides parameters and gradients.
void Optimizers::prepare_updates(State& state, const Group& group, const Rule& rule,
                                 const std::string& prefix) {
  const OptimizerSpec& spec = rule.spec;
  const runtime::Variable& first = *group.variables.front();
  std::vector<runtime::Variable*> slots;
  for (size_t i = 0; const Slot& slot : spec.slots()) {
    const auto shape_of = [&, number = i++](const runtime::Variable& variable) {
      return spec.slot_shape(number, variable);
    };
    const runtime::VariableStore::FlatList list = make_slot(group, slot, prefix, shape_of);
    state.step.slots.push_back(list.buffer);
    slots.insert(slots.end(), list.variables.begin(), list.variables.end());
  }
  if (spec.lookahead.period)
    state.slow = {make_slot(group, {"lookahead"}, prefix, own_shape).buffer,
                  {store_, first.bare() + prefix + "lookahead_step", 0, kMaker, first.replica}};
  if (spec.counts())
    state.count = {store_, first.bare() + prefix + "step", 0, kMaker, first.replica};
  else
    state.step.step = 1;  // each update counts as the first
  if (spec.plugin) state.by_plugin = make_update(group, state, rule, std::move(slots));
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

}  // namespace broch::optimizer
