// optimizers_apply.cpp: one update, from the list of gradients to the variables.
#include "after.hpp"
#include "optimizer/backend_calls.hpp"
#include "optimizer/optimizers.hpp"

namespace broch::optimizer {

void Optimizers::apply(size_t application, const GradientList& list) {
  const Application& applied = applications_[application];
  const Rule& rule = rules_[applied.rule];
  bool updated = false;
  for (const Part& part : applied.parts) {
    take(part, list);
    updated = rule.spec.niter == 1 || sum_up(part, rule.spec);
    if (updated) update(rule, part);
  }
  if (!updated) return;
  for (const auto& after : applied.after) after->run(store_);
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
  const runtime::VariableWrites::Write write(store_.writes());
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
  if (state.by_plugin) {
    state.by_plugin->run(
        rule.spec.niter > 1 ? state.sum.gradients.views : part.group->gradients.views,
        static_cast<uint64_t>(state.step.step));
  } else {
    const runtime::VariableWrites::Write write(store_.writes());
    store_.backend().update(state.step);
  }
  if (rule.spec.niter > 1) {
    const auto guard = store_.backend().enter(false, nullptr);
    call(store_.backend(), zero_, {raw(state.sum.gradients.buffer)});
  }
  if (reads_in_place(part)) state.step.gradients = {};  // they lie in memory of this step
  if (lookahead.period) look_ahead(lookahead, part);
}

}  // namespace broch::optimizer
