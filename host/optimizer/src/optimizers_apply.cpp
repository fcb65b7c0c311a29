// optimizers_apply.cpp: one update, from the list of gradients to the variables.
#include <algorithm>

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

// tensorpack: `AccumGradOptimizer` around `apply_grad_processors`.
void Optimizers::apply_sums(size_t application, const GradientList& list, uint64_t number,
                            const WatchContext& now) {
  const Application& applied = applications_[application];
  const Rule& rule = rules_[applied.rule];
  const int64_t runs = applied.parts.front().state->sum.runs.get();
  bool complete = false;
  for (const Part& part : applied.parts) {
    part.state->sum.runs.set(runs);  // they differ if a checkpoint was saved with other buffers
    take(part, list);
    complete = sum_up(part, rule.spec);
  }
  if (!complete) return;
  // Nodes that share a chain may update in the same hooked run, each with draws of its own.
  process_sums(applied, number + (uint64_t{application} << 48), now);
  for (const Part& part : applied.parts) part.updates ? update(rule, part) : clear_sum(part);
  for (const auto& after : applied.after) after->run(store_);
}

// Leaves the processed sums in the buffers of the groups. They are not written over the sums, since
// a result may be a sum itself.
void Optimizers::process_sums(const Application& applied, uint64_t number,
                              const WatchContext& now) {
  std::vector<runtime::Tensor> sums(applied.variables.size()), results;
  for (const Part& part : applied.parts)
    for (size_t i = 0; i < part.positions.size(); ++i)
      sums[part.positions[i]] = part.state->sum.gradients.views[i];
  applied.chain->run(sums, number, now, results);
  const std::vector<runtime::Variable*>& kept = applied.chain->kept();
  for (const Part& part : applied.parts) {
    if (!part.updates) continue;
    const runtime::Backend::Flat& gradients = part.group->gradients;
    for (size_t i = 0; i < part.positions.size(); ++i) {
      const auto at = std::ranges::find(kept, part.group->variables[i]) - kept.begin();
      store_.backend().assign(gradients.views[i], results[static_cast<size_t>(at)]);
    }
    part.state->step.gradients = gradients.buffer;
  }
  applied.chain->release();
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
  const auto guard = backend.enter(/*gradients=*/false, nullptr);
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
  const auto guard = backend.enter(/*gradients=*/false, nullptr);
  call(backend, lerp_, {raw(slow.weights), raw(part.group->parameters), raw(lookahead.share)});
  backend.assign(part.group->parameters, slow.weights);
}

void Optimizers::clear_sum(const Part& part) {
  const auto guard = store_.backend().enter(/*gradients=*/false, nullptr);
  call(store_.backend(), zero_, {raw(part.state->sum.gradients.buffer)});
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
    const bool reads_sum = rule.spec.niter > 1 && rule.spec.sum_processors.empty();
    state.by_plugin->run(reads_sum ? state.sum.gradients.views : part.group->gradients.views,
                         static_cast<uint64_t>(state.step.step));
  } else {
    const runtime::VariableWrites::Write write(store_.writes());
    store_.backend().update(state.step);
  }
  if (rule.spec.niter > 1) clear_sum(part);
  if (reads_in_place(part)) state.step.gradients = {};  // they lie in memory of this step
  if (lookahead.period) look_ahead(lookahead, part);
}

}  // namespace broch::optimizer
