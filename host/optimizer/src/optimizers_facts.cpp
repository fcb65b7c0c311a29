// optimizers_facts.cpp: what plans ask of an application before it is made.
#include <algorithm>

#include "after.hpp"
#include "optimizer/optimizers.hpp"

namespace broch::optimizer {

// None for a chain: its results go to the same buffers, and processors of an update after it may
// read the gradients.
std::vector<runtime::Tensor> Optimizers::views_of(size_t application) const {
  std::vector<runtime::Tensor> views(applications_[application].variables.size());
  if (processes_sums(application)) return views;
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

const std::vector<runtime::Variable*>& Optimizers::updated_by(size_t application) const {
  const Application& applied = applications_[application];
  return applied.chain ? applied.chain->kept() : applied.variables;
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
  if (one.chain || two.chain) return false;
  return std::ranges::none_of(one.parts, [&](const Part& part) {
    return std::ranges::find(two.parts, part.group, &Part::group) != two.parts.end();
  });
}

std::vector<replay::TowerRunner*> Optimizers::runners() const {
  std::vector<replay::TowerRunner*> runners;
  for (const Group& group : groups_)
    for (const auto& [rule, state] : group.states)
      if (state.by_plugin) runners.push_back(&state.by_plugin->runner());
  for (const Application& application : applications_) {
    if (!application.chain) continue;
    replay::TowerRunner* const runner = &application.chain->runner();
    if (std::ranges::find(runners, runner) == runners.end()) runners.push_back(runner);
  }
  return runners;
}

std::vector<tower::Moving> Optimizers::averages() const {
  std::vector<tower::Moving> all;
  for (const Application& application : applications_)
    if (application.chain)
      all.insert(all.end(), application.chain->averages().begin(),
                 application.chain->averages().end());
  return all;
}

}  // namespace broch::optimizer
