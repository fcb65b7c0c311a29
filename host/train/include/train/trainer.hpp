// trainer.hpp: one run below the manifest: instances in, phases in order. tensorpack:
// `Trainer`.
//
//   Trainer trainer(parts);
//   trainer.setup_graph();      input, plans, towers, optimizers
//   trainer.setup_callbacks();  the list of callbacks and their setup_graph
//   trainer.initialize();       session_init on the chief; then, on resume, variables are loaded
//   trainer.main_loop(config);  or serve()
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi/roles.hpp"
#include "plan/plans.hpp"
#include "plan/predictor.hpp"
#include "train/awaited_metrics.hpp"
#include "train/chief_writes.hpp"
#include "train/hooked_runs.hpp"
#include "train/loop.hpp"
#include "train/names.hpp"

namespace broch::train {

struct CallbackPart {
  abi::Instance* instance = nullptr;
  bool chief_only = true;
};

// Instances and stores of a run; all outlive the Trainer.
struct TrainerParts {
  abi::Context* context = nullptr;
  broch_progress* progress = nullptr;  // provided in the context before instances are made
  runtime::Backend* backend = nullptr;
  runtime::VariableStore* variables = nullptr;
  runtime::HyperParams* hypers = nullptr;
  tower::RunContext* world = nullptr;  // global_step and epoch_num are set here
  Interrupt* interrupt = nullptr;
  dist::Group* group = nullptr;     // of the ranks that train; nullptr: there is one
  dist::Group* everyone = nullptr;  // with parameter servers; nullptr: there is one rank
  bool deterministic = false;       // towers run in the order of their numbers

  abi::Instance* trainer = nullptr;
  abi::Instance* model = nullptr;             // may lack
  abi::Instance* input = nullptr;             // may lack
  std::vector<abi::Instance*> session_inits;  // in order: later ones win
  std::vector<CallbackPart> callbacks;
  std::vector<CallbackPart> extra_callbacks;
  std::vector<abi::Instance*> monitors;
  std::vector<MetricWords> metric_words;  // of all callbacks, those inside others included

  std::string optimizer;                // entry of the manifest; "": the model's
  std::vector<std::string> processors;  // entries
  InstanceMaker make_instance;          // of what plugins offer for such entries; may lack
  std::vector<runtime::Device> predict_devices{runtime::Device{}};
  const base::Clock* clock = &base::system_clock();
};

// How main_loop begins and what a signal does.
struct MainLoop {
  LoopConfig config;
  std::optional<Position> resume_at;
  Cursors cursors;                     // of the run that is resumed
  std::function<bool()> on_interrupt;  // as in LoopParts, like the next two
  std::function<void()> at_end;
  std::function<void()> begun;  // after before_train of all callbacks; may be empty
  std::function<void()> take_control_requests = {};
  // Asked before each step: true ends the loop, without the events of an epoch's end. May be empty.
  std::function<bool()> enough = {};
};

class Trainer {
 public:
  // Provides itself in the context for the extensions.
  explicit Trainer(TrainerParts parts);
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  // Each once; a second use throws base::Error.
  void setup_graph();
  void setup_callbacks();
  // resumed: session_init is left out, since every variable is loaded.
  void initialize(bool resumed = false);
  // Ends with after_train of all callbacks and the input stopped. Rethrows failures.
  base::Exit main_loop(MainLoop loop);

  // What a parameter server does instead: keeps its variables until the workers leave.
  void serve();
  // On the chief, before variables are saved: gets what parameter servers alone know.
  void fetch_served();

  // Where a checkpoint made now continues; in the main loop.
  Position position() const;
  const Cursors& cursors() const;
  // False when resuming could not give the same bits (a source without cursors or resume).
  bool resumes_exactly() const { return !input_ || input_->resumes_exactly(); }
  // True when the input was left behind in stop: end the process without destroying instances.
  bool abandoned() const { return input_ && input_->abandoned(); }

  Callbacks& callbacks() { return callbacks_; }
  Monitors& monitors() { return monitors_; }
  HookedRuns& runs() { return runs_; }
  Executor& executor() { return executor_; }
  CostAverages& costs() { return costs_; }
  Plans& plans() { return plans_; }
  Predictors* predictors() { return predictors_ ? &*predictors_ : nullptr; }
  Towers* towers() { return towers_ ? &*towers_ : nullptr; }
  Input* input() { return input_ ? &*input_ : nullptr; }
  const TrainerParts& parts() const { return parts_; }
  // For what plugins of all ranks do together: one that leaves a call out is waited for in vain,
  // and nothing that the host sends is taken for it. Made by all ranks at their first call.
  // REQUIRES: there are several ranks.
  dist::Group& group_of_plugins();
  Fetches::Deps names() const;
  // The input specs as C structs, for broch.predict/1.
  const abi::SpecArray* signature() const { return signature_ ? &*signature_ : nullptr; }

  // The trainer's place in the list of callbacks, before there is one: what its setup_graph asks
  // for as a callback. nullptr: not an instance of it, or there is the list.
  CallbackSlot* own_slot(const abi::Instance& instance) const {
    return own_slot_ && contains(*parts_.trainer, instance) ? own_slot_.get() : nullptr;
  }

  // Graphs, plans and predictors may still be declared.
  bool setting_up() const { return phase_ != Phase::ready; }
  bool in_callbacks_setup() const { return phase_ == Phase::callbacks; }

  // A run of a plan (nullptr: none) for a plugin. A quiet end and a signal become BROCH_STOP and
  // stay in force even if the plugin does not pass it on; so do failures.
  broch_status run_for_plugin(Plan* plan, bool hooked, const char* group);
  // The next data point of a tower for the trainer's plugin, which counts as consumed; BROCH_END
  // and the rest as for a run.
  broch_status next_for_plugin(uint32_t tower, runtime::Point& point);
  // A step is what its plugin says, not one run of the default plan.
  bool steps_by_plugin() const { return role_.has_run_step(); }
  // The trainer's plugin is in run_step and may take data points.
  bool may_take_points() const { return in_step_ && runs_.is_idle(); }
  // An evaluation for a plugin: a wait for data that a signal ended becomes BROCH_CANCELLED and
  // stays in force as well.
  broch_status evaluate_for_plugin(const std::function<broch_status()>& evaluate);

 private:
  enum class Phase : uint8_t { graph, callbacks, ready };
  Plans::Deps plan_deps();
  Executor::Deps executor_deps();
  void add_callbacks();
  void add_input_callbacks();
  void add_callbacks_of(abi::Instance& source);
  void require_step() const;
  void around_steps(bool begin);
  bool has_servers() const { return parts_.everyone && parts_.everyone->ranks().servers > 0; }
  bool is_server() const { return has_servers() && parts_.everyone->ranks().is_server(); }
  void tell_servers(Request::What what);
  void declare_averages();
  void put_stats();
  std::vector<std::string> summary_names() const;
  void run_step();
  void try_step();
  std::string where() const;
  template <class Body>
  broch_status in_force(Body&& body);
  broch_status call_run_step();
  [[noreturn]] void give_up();

  TrainerParts parts_;
  std::unique_ptr<dist::Group> group_of_plugins_;
  abi::Trainer role_;
  std::optional<Towers> towers_;
  std::optional<abi::SpecArray> signature_;
  runtime::SignatureHolder signature_holder_;
  std::optional<Input> input_;
  Optimizers optimizers_;
  summary::MovingAverages averages_;
  CostAverages costs_;
  Plans plans_;
  Callbacks callbacks_;
  std::unique_ptr<CallbackSlot> own_slot_;
  std::optional<ChiefWrites> chief_writes_;  // there are several ranks
  Monitors monitors_;
  AwaitedMetrics awaited_;
  Executor executor_;
  HookedRuns runs_;
  std::optional<Predictors> predictors_;
  runtime::ScalarCell<int64_t> global_step_;
  Cursors resume_after_;
  std::optional<TrainLoop> loop_;
  std::vector<Agreed> kept_alike_;
  Plan* default_plan_ = nullptr;
  bool served_ = false;      // servers wait for requests
  bool in_step_ = false;     // inside run_step …
  bool step_begun_ = false;  // … and a run of it is done
  Phase phase_ = Phase::graph;
  PhaseGuard phases_{"trainer"};
};

// The tables of src/ext. They work on the Trainer in the context; broch.run/1's progress on the
// broch_progress there.
void register_extensions(abi::Context& context);

}  // namespace broch::train
