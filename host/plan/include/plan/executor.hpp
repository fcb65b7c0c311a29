// executor.hpp: executes a plan, together with everything that is fetched.
//
// Order: data points of all towers; towers; gradients; process; apply; commit of updates and
// moving averages; reads. If the data end, nothing has been changed.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "broch/ext/progress.h"
#include "broch/ext/tower.h"
#include "optimizer/optimizers.hpp"
#include "plan/cost_averages.hpp"
#include "plan/input.hpp"
#include "plan/interrupt.hpp"
#include "plan/names.hpp"
#include "plan/plan.hpp"
#include "plan/rank_writes.hpp"
#include "plan/run_request.hpp"
#include "plan/tower_runs.hpp"
#include "plan/tower_threads.hpp"
#include "plan/tower_trials.hpp"
#include "plan/towers.hpp"
#include "summary/moving_averages.hpp"

namespace broch::plan {

class Executor {
 public:
  // All outlive the Executor. What may be nullptr says so.
  struct Deps {
    runtime::Backend* backend = nullptr;
    runtime::VariableStore* variables = nullptr;
    Towers* towers = nullptr;  // nullptr: the run has no model
    Input* input = nullptr;    // nullptr: the run has no input
    Optimizers* optimizers = nullptr;
    summary::MovingAverages* averages = nullptr;
    CostAverages* costs = nullptr;
    const broch_progress* progress = nullptr;
    dist::Group* group = nullptr;       // the ranks that train; nullptr: there is only one
    RankWrites* rank_writes = nullptr;  // set if there are several ranks
    bool has_servers = false;           // whether some ranks are parameter servers
    Interrupt* interrupt = nullptr;
    bool deterministic = false;  // towers run one after another, ordered by index
  };
  explicit Executor(Deps deps) : deps_(deps) {}

  // From now on, every hooked run also commits the updates anchored at this collection, and updates
  // its moving averages.
  void run_collection(const std::string& name) {
    collections_.insert(name);
    if (deps_.averages) deps_.averages->run(name);
  }
  bool runs_collection(std::string_view name) const { return collections_.contains(name); }

  // Each tower takes one data point and then computes on it again and again. For benchmarks.
  void reuse_points() { reuses_points_ = true; }
  // The runner of a tower; created at the first call.
  replay::TowerRunner& runner_of(tower::Tower& tower);

  // The data points on which the last failed execution computed; empty if none failed.
  struct TowerPoints {
    uint32_t tower;
    std::string points;  // as text, see point_text
  };
  const std::optional<std::vector<TowerPoints>>& points_of_failed_run() const {
    return failed_points_;
  }
  void forget_failed_run() { failed_points_.reset(); }

  // The kind of the node that is being executed; nullptr: none. [any]
  const char* executing() const { return executing_.load(std::memory_order_relaxed); }

  // Returns BROCH_OK, or BROCH_END with nothing changed. plan nullptr: computes only what is
  // fetched. Throws StopTraining, Interrupted and base::Error.
  broch_status run(Plan* plan, RunRequest& request);

 private:
  broch_status execute(Plan* plan, TowerRuns& runs, RunRequest& request);
  void note_points(TowerRuns& runs);
  // Called for nodes that may take long, and not for all: this costs instructions in each step.
  void note(NodeKind kind) { executing_.store(kind_name(kind), std::memory_order_relaxed); }
  void keep_results(TowerRuns& runs);
  void choose_towers(Plan* plan, const RunRequest& request, TowerRuns& runs) const;
  void add_peers(TowerRuns& runs) const;
  void choose_nodes(Plan& plan) const;
  broch_status take_inputs(TowerRuns& runs, const RunRequest& request);
  broch_status take_point(TowerRun& run, const RunRequest& request);
  void take_feeds(TowerRun& run, const RunRequest& request) const;
  bool lacks_data(const TowerRun& run, const RunRequest& request) const;
  broch_status next_point(TowerRun& run);
  bool updates_averages(const RunRequest& request) const {
    return request.hooked && deps_.averages && deps_.averages->any_runs();
  }
  bool needs_point(const TowerRun& run, const RunRequest& request) const;
  // How the towers of a plan were computed: one by one, because they must be (in_order) or because
  // a trial found that faster (in_turn); or in parallel, without waits for each other (together) or
  // with them (met).
  enum class Ran { in_order, in_turn, together, met };
  Ran run_towers(const Plan* plan, TowerRuns& runs, const RunRequest& request);
  void meet(const Plan* plan, TowerRuns& runs, const RunRequest& request, bool in_turn);
  void run_nodes(Plan& plan, TowerRuns& runs, RunRequest& request, bool together);
  void prepare(TowerRun& run, const RunRequest& request);
  void run_tower(TowerRun& run, const RunRequest& request);
  void run_node(Plan& plan, Node& node, TowerRuns& runs, RunRequest& request);
  void compute_list(Plan& plan, Node& node, RunRequest& request);
  const GradientList& list_to_apply(Plan& plan, Node& node, RunRequest& request);
  void apply(Plan& plan, Node& node, RunRequest& request);
  void serve(Plan& plan, Node& node, RunRequest& request);
  WatchContext watch_context(RunRequest& request) const;
  void copy(const Plan& plan, Node& node);
  void check_copies(const Plan& plan, const Node& node) const;
  void broadcast(const Node& node);
  void call(const Node& node);
  static void run_operation(const Node& node, const RunRequest& request);
  void commit(TowerRuns& runs, const RunRequest& request);
  bool contains_anchor(const TowerRun& run, const tower::TowerResult& result,
                       const tower::Update& update, const RunRequest& request) const;
  void read_activations(TowerRuns& runs, RunRequest& request);
  void read_variables(RunRequest& request);
  void summarize(TowerRuns& runs, RunRequest& request);

  Deps deps_;
  TowerThreads threads_;
  TowerTrials trials_;
  std::vector<std::unique_ptr<replay::TowerRunner>> runners_;  // one per tower
  TowerRuns kept_;
  std::optional<std::vector<TowerPoints>> failed_points_;
  std::atomic<const char*> executing_{nullptr};
  bool reuses_points_ = false;
  std::map<const tower::Tower*, std::vector<runtime::Tensor>> reused_;
  std::set<std::string, std::less<>> collections_;
};

}  // namespace broch::plan
