// executor_towers.cpp: which towers one execution computes, and how: one by one, or side by side.
#include <algorithm>

#include "base/trace.hpp"
#include "plan/executor.hpp"
#include "tower/tower_meeting.hpp"

namespace broch::plan {

namespace {

void want_gradients(TowerRun& run, Node& node) {
  node.run.request_place = run.request.gradients.size();
  run.request.gradients.push_back(&node.bound.request);
  const std::optional<std::string>& cost = node.as<GradientsNode>().cost;
  run.costs.push_back(cost ? std::string_view(*cost) : std::string_view());
  if (node.bound.average) run.average(*node.bound.cost_index, *node.bound.average);
}

void add_towers(Plan& plan, TowerRuns& runs) {
  for (Node& node : plan.nodes()) {
    if (!node.run.active) continue;
    if (node.kind == NodeKind::tower) {
      TowerRun& run = runs.find_or_add(node.bound.tower);
      run.in_plan = true;
      run.takes_points = !node.inputs.empty();
    } else if (node.kind == NodeKind::gradients) {
      want_gradients(runs.find_or_add(plan.nodes()[node.inputs[0]].bound.tower), node);
    }
  }
}

// Tells the tower nodes where their towers are.
void note_places(Plan& plan, TowerRuns& runs) {
  for (Node& node : plan.nodes())
    if (node.kind == NodeKind::tower && node.run.active)
      node.run.tower_run = static_cast<size_t>(runs.find(node.bound.tower) - runs.begin());
}

}  // namespace

// The towers of the plan and those from which something is fetched, in order of index.
void Executor::choose_towers(Plan* plan, const RunRequest& request, TowerRuns& runs) const {
  if (plan) add_towers(*plan, runs);
  for (const RunRequest::OfTower& of : request.towers)
    runs.find_or_add(deps_.towers->training(of.tower));
  if (request.summaries && deps_.towers && deps_.towers->training(0))
    runs.find_or_add(deps_.towers->training(0));
  add_peers(runs);
  runs.sort();
  if (plan) note_places(*plan, runs);
}

// A tower that waits for others needs them to run, too.
void Executor::add_peers(TowerRuns& runs) const {
  const auto meets = [](const TowerRun& run) { return run.tower->meets(); };
  if (std::ranges::none_of(runs, meets)) return;
  for (tower::Tower* const tower : deps_.towers->training()) {
    if (!tower || !tower->meets()) continue;
    const auto stands_for_it = [&](const TowerRun& run) {
      return run.tower->meets() && run.tower->spec().index == tower->spec().index;
    };
    if (std::ranges::none_of(runs, stands_for_it)) runs.add(tower).is_peer = true;
  }
}

replay::TowerRunner& Executor::runner_of(tower::Tower& tower) {
  const auto found = std::ranges::find(runners_, &tower, [](const auto& f) { return &f->tower(); });
  if (found != runners_.end()) return **found;
  return *runners_.emplace_back(std::make_unique<replay::TowerRunner>(tower));
}

// In parallel if no plugin code is called and that is faster; else in order of index.
Executor::Ran Executor::run_towers(const Plan* plan, TowerRuns& runs, const RunRequest& request) {
  for (TowerRun& run : runs) prepare(run, request);
  const auto replays = [](TowerRun& run) { return run.runner->replays_alone(run.request); };
  const auto meets = [](const TowerRun& run) { return run.tower->meets(); };
  const auto count = static_cast<size_t>(runs.end() - runs.begin());
  const bool may_overlap = count > 1 && !deps_.deterministic && std::ranges::all_of(runs, replays);
  if (!deps_.backend->is_null() && std::ranges::any_of(runs, meets)) {
    meet(plan, runs, request, !may_overlap);
    return may_overlap ? Ran::met : Ran::in_order;
  }
  if (may_overlap && !trials_.in_turn(count)) {
    threads_.run(count, [&](size_t i) { run_tower(runs[i], request); });
    return Ran::together;
  }
  for (TowerRun& run : runs) run_tower(run, request);
  return may_overlap ? Ran::in_turn : Ran::in_order;
}

// Runs each tower on its own thread, so that it can wait for the others in the middle of its step.
void Executor::meet(const Plan* plan, TowerRuns& runs, const RunRequest& request, bool in_turn) {
  std::vector<TowerRun*> meeting;
  for (TowerRun& run : runs) {
    if (run.tower->meets()) {
      meeting.push_back(&run);
    } else {
      run_tower(run, request);
    }
  }
  tower::AcrossRanks ranks;
  const auto reduces = [](const Node& node) { return node.kind == NodeKind::all_reduce; };
  if (deps_.group && plan && std::ranges::any_of(plan->nodes(), reduces)) {
    ranks.count = deps_.group->ranks().world;
    ranks.gather = [this](const auto& mine, const auto& all) {
      deps_.group->all_gather(mine, all);
    };
  }
  const auto name = [&](size_t i) { return meeting[i]->tower->describe(); };
  const std::lock_guard lock(meeting[0]->tower->lock());
  tower::TowerMeeting towers(meeting.size(), name, in_turn, std::move(ranks),
                             &meeting[0]->tower->lock());
  threads_.run(meeting.size(),
               [&](size_t i) { towers.attend(i, [&] { run_tower(*meeting[i], request); }); });
  towers.finish();
}

// Says what the tower's runner is to compute.
void Executor::prepare(TowerRun& run, const RunRequest& request) {
  replay::Wanted& wanted = run.request.wanted;
  for (const RunRequest::OfTower& of : request.towers)
    if (deps_.towers->training(of.tower) == run.tower) wanted.published = of.published;
  if (request.hooked)
    for (const TowerRun::Averaged& cost : run.averaged) wanted.publish(cost.index);
  wanted.summaries = request.summaries;
  wanted.moving = updates_averages(request);
  wanted.hooked = request.hooked;
  wanted.evaluation = request.evaluation;
  run.runner = &runner_of(*run.tower);
}

void Executor::run_tower(TowerRun& run, const RunRequest& request) {
  const base::Span span("tower", "plan");
  const auto keeps = [&](const tower::TowerResult& result, const tower::Update& update) {
    return !request.evaluation && contains_anchor(run, result, update, request);
  };
  run.result = &run.runner->run(run.request, std::ref(keeps));
}

bool Executor::contains_anchor(const TowerRun& run, const tower::TowerResult& result,
                               const tower::Update& update, const RunRequest& request) const {
  if (update.anchor_is_collection) return request.hooked && runs_collection(update.anchor);
  const auto reaches = [&](std::string_view name) { return result.depends(name, update.anchor); };
  if (std::ranges::any_of(run.costs, reaches)) return true;
  return std::ranges::any_of(request.fetches, [&](uint32_t entry) {
    const Fetch& fetch = (*request.table)[entry];
    return fetch.kind == Fetch::Kind::published && fetch.tower == run.tower->spec().index &&
           reaches(fetch.published);
  });
}

// A call node may run the same towers again, and their programs share memory: copy the results.
void Executor::keep_results(TowerRuns& runs) {
  if (deps_.backend->is_null()) return;
  for (TowerRun& run : runs) {
    tower::TowerResult& tower = run.kept.emplace(*run.result).tower;
    const auto keep = [&](runtime::Tensor& value) {
      if (value) value = deps_.backend->copy(value, run.tower->spec().device);
    };
    for (const uint32_t index : run.request.wanted.published) keep(tower.published.value(index));
    for (tower::Update& update : tower.updates) keep(update.value);
    for (tower::Summary& summary : tower.summaries) keep(summary.tensor);
    for (tower::Moving& moving : tower.moving) keep(moving.tensor);
    run.result = &*run.kept;
  }
}

}  // namespace broch::plan
