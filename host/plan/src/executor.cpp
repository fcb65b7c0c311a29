// executor.cpp: executes a plan, phase by phase. The phases have files of their own: inputs,
// towers, nodes, results.
#include "plan/executor.hpp"

#include <algorithm>
#include <chrono>

namespace broch::plan {

namespace {

bool has_active_call(const Plan& plan) {
  return plan.has_calls() && std::ranges::any_of(plan.nodes(), [](const Node& node) {
           return node.run.active && node.kind == NodeKind::call;
         });
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
  note(NodeKind::tower);
  const Ran ran = run_towers(plan, runs, request);
  if (plan && has_active_call(*plan)) keep_results(runs);
  read_activations(runs, request);
  if (plan) {
    run_nodes(*plan, runs, request, ran == Ran::together || ran == Ran::met);
    if (plan->run_count) plan->run_count->set(plan->run_count->get() + 1);
  }
  if (ran == Ran::in_turn || ran == Ran::together)
    trials_.took(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  executing_.store(nullptr, std::memory_order_relaxed);
  if (!request.evaluation) commit(runs, request);
  if (request.reads_state) read_variables(request);
  if (request.summaries) summarize(runs, request);
  for (TowerRun& run : runs)
    if (run.took_point) deps_.input->consumed(run.tower->spec().index, run.point);
  return BROCH_OK;
}

void Executor::choose_nodes(Plan& plan) const {
  const auto number = static_cast<uint64_t>(plan.run_count ? plan.run_count->get() : 0);
  for (Node& node : plan.nodes()) {
    node.run.active = node.turns.include(number);
    for (const uint32_t input : node.inputs) node.run.active &= plan.nodes()[input].run.active;
    if (node.run.active && node.bound.gather) node.bound.gather->begin();
  }
}

}  // namespace broch::plan
