// executor.cpp: executes a plan, phase by phase.
#include "plan/executor.hpp"

#include <algorithm>
#include <chrono>

#include "abi/guard.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/trace.hpp"
#include "plan/plans.hpp"
#include "plan/stop.hpp"
#include "replay/operation.hpp"
#include "tower/tower_meeting.hpp"

namespace broch::plan {

namespace {

bool has_active_call(const Plan& plan) {
  return plan.has_calls() && std::ranges::any_of(plan.nodes(), [](const Node& node) {
           return node.run.active && node.kind == NodeKind::call;
         });
}

// Called for nodes that may take long, and not for all: this costs instructions in each step.
void note(std::atomic<const char*>& executing, NodeKind kind) {
  executing.store(kind_name(kind), std::memory_order_relaxed);
}

// Makes sure that a plan is not executed within its own execution. Drops its gradients at the end.
class Running {
 public:
  explicit Running(Plan* plan) : plan_(plan) {
    if (!plan_) return;
    if (!plan_->sealed())
      throw base::Error{base::Exit::training,
                        {"plan '" + plan_->name() + "'", "a run before seal", "seal first", ""}};
    if (plan_->running)
      throw base::Error{base::Exit::training,
                        {"plan '" + plan_->name() + "'", "a run inside its own run",
                         "one run of a plan at a time", ""}};
    plan_->running = true;
  }
  ~Running() {
    if (!plan_) return;
    plan_->running = false;
    for (Node& node : plan_->nodes()) {
      node.run.gradients.gradients.clear();
      if (node.bound.operation) node.bound.operation->release();
    }
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  Plan* plan_;
};

runtime::Tensor int64_tensor(runtime::Backend& backend, int64_t value) {
  const broch_dl_tensor data{&value,  {BROCH_DL_CPU, 0}, 0, {BROCH_DL_INT, 64, 1},
                             nullptr, nullptr,           0};
  return backend.copy_in(data, runtime::Device{});
}

}  // namespace

broch_status Executor::run(Plan* plan, RunRequest& request) {
  const Running running(plan);
  // The plan may execute another plan, so the memory in use is moved out of kept_.
  struct Lease {
    explicit Lease(TowerRuns& kept) : kept(kept) { kept.swap(runs); }
    ~Lease() {
      runs.clear();
      kept.swap(runs);
    }
    TowerRuns& kept;
    TowerRuns runs;
  } lease(kept_);
  TowerRuns& runs = lease.runs;
  try {
    return execute(plan, runs, request);
  } catch (...) {
    note_points(runs);
    throw;
  }
}

void Executor::note_points(TowerRuns& runs) {
  failed_points_.emplace();
  for (const TowerRun& run : runs)
    if (run.took_point) failed_points_->push_back({run.tower->spec().index, point_text(run.point)});
}

broch_status Executor::execute(Plan* plan, TowerRuns& runs, RunRequest& request) {
  if (plan && deps_.rank_writes && plan->meets_ranks()) deps_.rank_writes->hand_on_in_step();
  if (plan) choose_nodes(*plan);
  choose_towers(plan, request, runs);
  if (take_inputs(runs, request) == BROCH_END) return BROCH_END;
  const auto start = std::chrono::steady_clock::now();
  note(executing_, NodeKind::tower);
  const Ran ran = run_towers(plan, runs, request);
  if (plan && has_active_call(*plan)) keep_results(runs);
  read_activations(runs, request);
  if (plan) {
    run_nodes(*plan, runs, request, ran == Ran::together || ran == Ran::met);
    if (plan->runs) plan->runs->set(plan->runs->get() + 1);
  }
  if (ran == Ran::in_turn || ran == Ran::together)
    trials_.took(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  executing_.store(nullptr, std::memory_order_relaxed);
  if (!request.evaluation) commit(runs, request);
  if (request.reads_state) read_variables(request);
  if (request.summaries) summarise(runs, request);
  for (TowerRun& run : runs)
    if (run.took_point) deps_.input->consumed(run.tower->spec().index, run.point);
  return BROCH_OK;
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

void Executor::choose_nodes(Plan& plan) const {
  const int64_t number = plan.runs ? plan.runs->get() : 0;
  for (Node& node : plan.nodes()) {
    node.run.active = node.takes_part(number);
    for (const uint32_t input : node.inputs) node.run.active &= plan.nodes()[input].run.active;
    if (node.run.active && node.bound.gather) node.bound.gather->begin();
  }
}

// The towers of the plan and those from which something is fetched, in order of index.
void Executor::choose_towers(Plan* plan, const RunRequest& request, TowerRuns& runs) const {
  const auto run_of = [&](tower::Tower* tower) -> TowerRun& {
    TowerRun* const found = runs.find(tower);
    return found ? *found : runs.add(tower);
  };
  if (plan) {
    for (Node& node : plan->nodes()) {
      if (!node.run.active) continue;
      if (node.kind == NodeKind::tower) {
        TowerRun& run = run_of(node.bound.tower);
        run.in_plan = true;
        run.takes_points = !node.inputs.empty();
      }
      if (node.kind != NodeKind::gradients) continue;
      TowerRun& run = run_of(plan->nodes()[node.inputs[0]].bound.tower);
      node.run.request_place = run.request.gradients.size();
      run.request.gradients.push_back(&node.bound.request);
      const std::optional<std::string>& cost = node.as<GradientsNode>().cost;
      run.costs.push_back(cost ? std::string_view(*cost) : std::string_view());
      if (node.bound.average) run.average(*node.bound.cost_index, *node.bound.average);
    }
  }
  for (const RunRequest::OfTower& of : request.towers) run_of(deps_.towers->training(of.tower));
  if (request.summaries && deps_.towers && deps_.towers->training(0))
    run_of(deps_.towers->training(0));
  add_peers(runs);
  runs.sort();
  if (plan)
    for (Node& node : plan->nodes())
      if (node.kind == NodeKind::tower && node.run.active)
        node.run.tower_run = static_cast<size_t>(runs.find(node.bound.tower) - runs.begin());
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
  for (TowerRun& run : runs) want(run, request);
  const auto replays = [](TowerRun& run) { return run.runner->replays_alone(run.request); };
  const auto meets = [](const TowerRun& run) { return run.tower->meets(); };
  const auto count = static_cast<size_t>(runs.end() - runs.begin());
  const bool alone = count > 1 && !deps_.deterministic && std::ranges::all_of(runs, replays);
  if (!deps_.backend->is_null() && std::ranges::any_of(runs, meets)) {
    meet(plan, runs, request, !alone);
    return alone ? Ran::met : Ran::in_order;
  }
  if (alone && !trials_.in_turn(count)) {
    threads_.run(count, [&](size_t i) { run_tower(runs[i], request); });
    return Ran::together;
  }
  for (TowerRun& run : runs) run_tower(run, request);
  return alone ? Ran::in_turn : Ran::in_order;
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

// Updates of replicas run on the threads of their towers, which have the memory in their caches.
void Executor::run_nodes(Plan& plan, TowerRuns& runs, RunRequest& request, bool together) {
  const std::vector<uint32_t>& order = plan.order();
  const auto node_at = [&](size_t i) -> Node& { return plan.nodes()[order[i]]; };
  for (size_t first = 0, end = 0; first < order.size(); first = end) {
    for (end = first + 1; end < order.size() && together && node_at(end).bound.with_previous; ++end)
      if (!node_at(end).run.active) break;
    const auto run = [&](size_t i) {
      Node& node = node_at(first + i);
      if (node.run.active) run_node(plan, node, runs, request);
    };
    end - first > 1 ? threads_.run(end - first, run) : run(0);
  }
}

void Executor::want(TowerRun& run, const RunRequest& request) {
  replay::Wanted& wanted = run.request.wanted;
  for (const RunRequest::OfTower& of : request.towers)
    if (deps_.towers->training(of.tower) == run.tower) wanted.published = of.published;
  if (request.hooked)
    for (const TowerRun::Averaged& cost : run.averaged) wanted.publish(cost.index);
  wanted.summaries = request.summaries;
  wanted.moving = averages(request);
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

void Executor::run_node(Plan& plan, Node& node, TowerRuns& runs, RunRequest& request) {
  const base::Span span(base::Trace::running() ? kind_name(node.kind) : "", "plan");
  switch (node.kind) {
    case NodeKind::input:
    case NodeKind::tower:
      break;  // have already run
    case NodeKind::gradients:
      node.run.handed_on = &node.run.gradients;
      if (node.run.gradients.variables.size() != node.bound.list.size())
        node.run.gradients.variables = node.bound.list;
      node.run.gradients.gradients = runs[plan.nodes()[node.inputs[0]].run.tower_run]
                                         .result->gradients[node.run.request_place];
      break;
    case NodeKind::reduce:
    case NodeKind::all_reduce:
    case NodeKind::process:
      operate(plan, node, request);
      break;
    case NodeKind::apply:
      deps_.optimizers->apply(node.bound.application, taken(plan, node, request));
      break;
    case NodeKind::serve:
      serve(plan, node, request);
      break;
    case NodeKind::copy:
      copy(plan, node);
      break;
    case NodeKind::broadcast:
      broadcast(node);
      break;
    case NodeKind::operation:
      run_op(node, request);
      break;
    case NodeKind::call:
      call(node);
      break;
  }
}

WatchContext Executor::watch_context(RunRequest& request) const {
  return {*deps_.backend, averages(request) ? deps_.averages : nullptr,
          request.summaries ? &request.summary : nullptr};
}

void Executor::operate(Plan& plan, Node& node, RunRequest& request) {
  const auto given = [&](size_t input) -> const GradientList& {
    return *plan.nodes()[node.inputs[input]].run.handed_on;
  };
  if (!node.bound.operation) {
    node.run.handed_on = &given(0);
    return;
  }
  node.run.handed_on = &node.run.gradients;
  if (node.run.gradients.variables.size() != node.bound.list.size())
    node.run.gradients.variables = node.bound.list;
  if (node.bound.gather) {
    note(executing_, node.kind);
    const auto& lists = node.bound.gather->gather(given(0).gradients);
    deps_.interrupt->agree(node.bound.gather->rank_flags());
    return node.bound.operation->run(lists, request.number, watch_context(request),
                                     node.run.gradients.gradients);
  }
  if (node.inputs.size() == 1)
    return node.bound.operation->run(given(0).gradients, request.number, watch_context(request),
                                     node.run.gradients.gradients);
  std::vector<runtime::Tensor> lists;
  for (size_t i = 0; i < node.inputs.size(); ++i)
    lists.insert(lists.end(), given(i).gradients.begin(), given(i).gradients.end());
  node.bound.operation->run(lists, request.number, watch_context(request),
                            node.run.gradients.gradients);
}

// The gradients that the node applies, after the processors of its optimizer.
const GradientList& Executor::taken(Plan& plan, Node& node, RunRequest& request) {
  const GradientList& given = *plan.nodes()[node.inputs[0]].run.handed_on;
  if (!node.bound.operation && node.bound.list.size() == given.gradients.size()) return given;
  node.run.gradients.variables = node.bound.list;
  std::vector<runtime::Tensor>& gradients = node.run.gradients.gradients;
  gradients.clear();
  for (const size_t place : node.bound.positions) gradients.push_back(given.gradients[place]);
  if (node.bound.operation) {
    const std::vector<runtime::Tensor> raw = std::move(gradients);
    node.bound.operation->run(raw, request.number, watch_context(request), gradients);
  }
  return node.run.gradients;
}

void Executor::serve(Plan& plan, Node& node, RunRequest& request) {
  note(executing_, node.kind);
  const GradientList& list = taken(plan, node, request);
  if (deps_.backend->is_null()) return;
  if (!deps_.has_servers)
    throw base::Error{base::Exit::usage,
                      {plan.describe(node), "no parameter server among the ranks", "at least one",
                       "start with broch train --ranks N --ps M: the last M of N ranks are "
                       "parameter servers; or use a trainer that needs none"}};
  deps_.interrupt->agree(
      node.bound.served->exchange(list.gradients, deps_.interrupt->rank_flags()));
}

// Replicas that were trained with the same gradients must have the same bits.
void Executor::check_copies(const Plan& plan, const Node& node) const {
  for (const auto& [to, from] : node.bound.copied) {
    if (!to->trainable()) continue;
    const std::string difference = deps_.backend->difference(to->value, from->value, 0);
    if (!difference.empty())
      throw base::Error{
          base::Exit::numbers,
          {plan.describe(node),
           "variable '" + to->name + "' differs from '" + from->name + "': " + difference,
           "the same bits in all replicas",
           "look for what writes to one replica alone, or for operators whose sums "
           "have no fixed order"}};
  }
}

void Executor::copy(const Plan& plan, Node& node) {
  const auto& options = node.as<CopyNode>();
  if (node.bound.copied.empty())
    for (const auto& variable : deps_.variables->all())
      if (std::ranges::find(options.to, variable->replica) != options.to.end())
        if (runtime::Variable* from = deps_.variables->find(variable->bare(), options.from))
          node.bound.copied.push_back({variable.get(), from});
  if (options.check) check_copies(plan, node);
  for (const BoundNode::Copied& pair : node.bound.copied)
    deps_.backend->assign(pair.to->value, pair.from->value);
}

void Executor::broadcast(const Node& node) {
  note(executing_, node.kind);
  if (!deps_.group || deps_.backend->is_null()) return;
  for (const auto& variable : deps_.variables->all())
    if (!variable->local())
      broadcast_value(*deps_.group, *deps_.backend, *variable, node.as<BroadcastNode>().root);
  if (deps_.rank_writes) deps_.rank_writes->all_were_sent();
}

void Executor::call(const Node& node) {
  note(executing_, node.kind);
  const uint64_t said = abi::thread_state().messages;
  const auto& [instance, function, user] = node.as<CallNode>();
  const broch_status status =
      abi::invoke(*instance, node.name.c_str(), abi::Role::main, abi::kMayStop,
                  [function = function, user = user] { return function(user); });
  if (status == BROCH_STOP) throw stopped_by(instance, said);
}

void Executor::run_op(const Node& node, const RunRequest& request) {
  const auto& [instance, op] = node.as<OperationNode>();
  replay::run_operation(replay::operation_runner(*instance, op), request.number);
}

void Executor::commit(TowerRuns& runs, const RunRequest& request) {
  size_t count = 0;
  const TowerRun* only = nullptr;
  for (const TowerRun& run : runs) {
    if (!run.result->tower.updates.empty()) ++count, only = &run;
    if (averages(request))
      for (const tower::Moving& moving : run.result->tower.moving)
        deps_.averages->update(*deps_.backend, moving);
    if (!request.hooked) continue;
    for (const TowerRun::Averaged& cost : run.averaged)
      deps_.costs->update(cost.average,
                          deps_.backend->item(run.result->tower.published[cost.index]));
  }
  if (count == 1) return tower::commit(*deps_.backend, only->result->tower.updates);
  if (count == 0) return;
  std::vector<tower::Update> updates;
  for (const TowerRun& run : runs)
    updates.insert(updates.end(), run.result->tower.updates.begin(),
                   run.result->tower.updates.end());
  tower::commit(*deps_.backend, updates);
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

void Executor::read_activations(TowerRuns& runs, RunRequest& request) {
  const TowerRun* run = nullptr;
  uint32_t tower = 0;  // index of run's tower
  for (const uint32_t entry : request.fetches) {
    const Fetch& fetch = (*request.table)[entry];
    if (fetch.kind != Fetch::Kind::published) continue;
    if (!run || tower != fetch.tower) run = runs.find(deps_.towers->training(tower = fetch.tower));
    request.values[entry] = run->result->tower.published[fetch.index];
  }
}

void Executor::read_variables(RunRequest& request) {
  for (const uint32_t entry : request.fetches) {
    const Fetch& fetch = (*request.table)[entry];
    runtime::Tensor& value = request.values[entry];
    switch (fetch.kind) {
      case Fetch::Kind::published:
        break;  // already read
      case Fetch::Kind::variable:
        value = fetch.variable->value;
        break;
      case Fetch::Kind::global_step:
        value = int64_tensor(*deps_.backend, deps_.progress->global_step);
        break;
      case Fetch::Kind::epoch_num:
        value = int64_tensor(*deps_.backend, deps_.progress->epoch_num);
        break;
      case Fetch::Kind::unresolved:
        break;
    }
  }
}

void Executor::summarise(TowerRuns& runs, RunRequest& request) {
  for (const TowerRun& run : runs)
    for (const tower::Summary& summary : run.result->tower.summaries)
      request.summary.add(*deps_.backend, summary);
  for (const auto& [name, value] : deps_.averages->values())
    request.summary.add_scalar(name, value);
}

}  // namespace broch::plan
