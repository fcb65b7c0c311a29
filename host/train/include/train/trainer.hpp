// trainer.hpp: one run, from created instances through its phases. tensorpack: `Trainer`.
//
//   Trainer trainer(parts);
//   trainer.setup_graph();      input, plans, towers, optimizers
//   trainer.setup_callbacks();  the list of callbacks and their setup_graph
//   trainer.initialize();       session_init on the chief; then, on resume, variables are loaded
//   trainer.main_loop(config);  or serve()
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi/event_places.hpp"
#include "abi/inquiry.hpp"
#include "abi/nesting.hpp"
#include "abi/roles.hpp"
#include "plan/async_predictor.hpp"
#include "plan/plans.hpp"
#include "plan/predictor.hpp"
#include "train/awaited_metrics.hpp"
#include "train/chief_writes.hpp"
#include "train/hooked_runs.hpp"
#include "train/loop.hpp"
#include "train/names.hpp"
#include "train/rank_cursors.hpp"
#include "train/servers.hpp"
#include "train/step_limit.hpp"
#include "train/step_place.hpp"

namespace broch::train {

struct CallbackPart {
  abi::Instance* instance = nullptr;
  bool chief_only = true;
};

// Instances and stores of a run. All outlive the Trainer.
struct TrainerParts {
  abi::Context* context = nullptr;
  broch_progress* progress = nullptr;  // provided in the context before instances are made
  runtime::Backend* backend = nullptr;
  runtime::VariableStore* variables = nullptr;
  runtime::HyperParams* hypers = nullptr;
  tower::RunContext* run_context = nullptr;  // the trainer sets global_step and epoch_num in it
  Interrupt* interrupt = nullptr;
  dist::Group* group = nullptr;     // the ranks that train; nullptr: there is only one
  dist::Group* everyone = nullptr;  // includes parameter servers; nullptr: there is only one rank
  bool deterministic = false;       // towers run one after another, ordered by index
  std::optional<double> step_timeout;  // in seconds
  int64_t starting_epoch = 1;

  abi::Instance* trainer = nullptr;
  abi::Instance* model = nullptr;             // may be nullptr
  abi::Instance* input = nullptr;             // may be nullptr
  std::vector<std::string> provided_inputs;   // that it has data for; empty: all
  std::vector<abi::Instance*> session_inits;  // in order: later ones win
  std::vector<CallbackPart> callbacks;
  std::vector<CallbackPart> extra_callbacks;
  std::vector<abi::Instance*> monitors;
  std::vector<MetricWords> metric_words;  // of all callbacks, including those inside others

  std::optional<Entry> optimizer;  // none: the model's
  std::vector<Entry> processors;
  InstanceMaker make_instance;  // for such entries of plugins; may be empty
  std::vector<runtime::Device> predict_devices{runtime::Device{}};
  bool trains = true;  // see Plans::Deps
  const base::Clock* clock = &base::system_clock();
};

// How main_loop begins, and what happens at signals.
struct MainLoop {
  LoopConfig config;
  std::optional<Position> resume_at;
  // Of the run that is resumed: by rank, or one element for all ranks.
  std::vector<Cursors> cursors;
  std::function<bool()> on_interrupt;  // see LoopParts; also at_end and take_control_requests
  std::function<void()> at_end;
  std::function<void()> begun;  // after before_train of all callbacks; may be empty
  std::function<void()> take_control_requests = {};
  // Asked before each step: true ends the loop without the events at an epoch's end. May be empty.
  std::function<bool()> enough = {};
};

class Trainer {
 public:
  // Adds itself to the context, where extensions find it.
  explicit Trainer(TrainerParts parts);
  ~Trainer();
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  // Call each once; a second call throws base::Error.
  void setup_graph();
  void setup_callbacks();
  // skips_session_init: every variable gets its value elsewhere, such as from a checkpoint.
  void initialize(bool skips_session_init = false);
  // Ends by calling after_train of all callbacks and stopping the input. Rethrows failures.
  base::Exit main_loop(MainLoop loop);

  // What a parameter server does instead: serves its variables until the workers leave.
  void serve();
  // On the chief, before variables are saved: fetches what only parameter servers have.
  void fetch_served() { servers_.fetch_state(); }

  // Where a checkpoint made now continues. Valid in the main loop.
  Position position() const;
  Cursors cursors() const;
  // Those of all ranks for a checkpoint: by rank, or one element for all ranks.
  std::vector<Cursors> cursors_of_ranks();
  // False if a resumed run could not have the same bits, because the source has no cursors or no
  // resume.
  bool resumes_exactly() const {
    return (!input_ || input_->resumes_exactly()) &&
           (!rank_cursors_ || rank_cursors_->all_resume_exactly());
  }
  // True if stopping the input timed out, or a monitor does not return: end the process without
  // destroying instances.
  bool abandoned() const { return (input_ && input_->abandoned()) || monitors_.has_stuck(); }

  Callbacks& callbacks() { return callbacks_; }
  Monitors& monitors() { return monitors_; }
  HookedRuns& runs() { return runs_; }
  Executor& executor() { return executor_; }
  CostAverages& costs() { return costs_; }
  Plans& plans() { return plans_; }
  Predictors* predictors() { return predictors_ ? &*predictors_ : nullptr; }
  // Those of a model in an option of another component, which uses the variables of the run.
  // REQUIRES: the run has a model. [main]
  struct OtherModel {
    OtherModel(TrainerParts& parts, abi::Instance& model, const Towers& trained);
    Towers towers;
    abi::SpecArray signature;
    Predictors predictors;
  };
  OtherModel& other_model(abi::Instance& model);
  // Keeps it until the run ends, which closes it.
  plan::AsyncPredictor& keep(std::unique_ptr<plan::AsyncPredictor> predictor) {
    return *async_predictors_.emplace_back(std::move(predictor));
  }
  Towers* towers() { return towers_ ? &*towers_ : nullptr; }
  Input* input() { return input_ ? &*input_ : nullptr; }
  const TrainerParts& parts() const { return parts_; }
  // The group for calls that plugins of all ranks make together. It is separate from the host's:
  // if a plugin leaves out a call, the others wait for it, and do not take a message of the host
  // for it. All ranks create it at their first call. REQUIRES: there are several ranks.
  dist::Group& group_of_plugins();
  Fetches::Deps names() const;
  // The inputs as C structs, for broch.predict/1.
  const abi::SpecArray* signature() const { return signature_ ? &*signature_ : nullptr; }

  // The trainer's entry in the list of callbacks, for what its setup_graph declares before the
  // list exists. nullptr if the instance is not part of the trainer, or once the list exists.
  CallbackSlot* own_slot(const abi::Instance& instance) const {
    return own_slot_ && contains(*parts_.trainer, instance) ? own_slot_.get() : nullptr;
  }

  // Whether graphs, plans and predictors may still be declared.
  bool setting_up() const { return phase_ != Phase::ready; }
  bool in_callbacks_setup() const { return phase_ == Phase::callbacks; }

  // How a plugin runs a plan: with before_run and after_run of the trainer's callbacks; as a hooked
  // run of another group, in which none of them take part; or without hooks.
  enum class RunKind : uint8_t { hooked, hooked_in_other_group, plain };
  // Executes a plan (nullptr: none) for a plugin. A normal end and a signal become BROCH_STOP.
  // They and failures take effect after the call even if the plugin ignores the status.
  broch_status run_for_plugin(Plan* plan, RunKind kind);
  // Gives the trainer's plugin the next data point of a tower, which then counts as consumed.
  // Returns BROCH_END at the end of the data; otherwise as run_for_plugin.
  broch_status next_for_plugin(uint32_t tower, runtime::Point& point);
  // Whether the trainer's plugin defines a step, instead of one execution of the default plan.
  bool steps_by_plugin() const { return role_.has_run_step(); }
  // Whether a step has begun and is not complete.
  bool in_step() const { return in_step_; }
  // Those of all ranks, from a call that they make together: agreed on after the step.
  void note_rank_flags(uint8_t flags) {
    if (in_step_) flags_of_step_ |= flags;
  }
  // Whether the training ended inside a step: global_step counts some of its hooked runs, but the
  // step is not complete.
  bool ended_within_step() const {
    return step_began_at_ && parts_.progress->global_step > *step_began_at_;
  }
  // Whether the trainer's plugin is in run_step and may take data points.
  bool may_take_points() const { return in_step_ && runs_.is_idle(); }
  // An evaluation for a plugin. A wait for data that a signal ended becomes BROCH_CANCELLED; the
  // signal takes effect after the call as well.
  broch_status evaluate_for_plugin(const std::function<broch_status()>& evaluate);

 private:
  enum class Phase : uint8_t { graph, callbacks, ready };
  Plans::Deps plan_deps();
  Executor::Deps executor_deps();
  void add_callbacks();
  void add_callback(const CallbackPart& part, size_t of_input);
  void claim_events(size_t of_input);
  void add_monitor(abi::Instance& monitor);
  void add_input_callbacks();
  void add_callbacks_of(abi::Instance& source);
  void require_step() const;
  void end_steps();  // of an epoch, with several ranks
  void take_cursors(std::vector<Cursors> saved);
  void declare_averages();
  // first: the first variable that callbacks have made.
  void set_chief_apart(size_t first);
  // Those that the training itself sets, or may set.
  std::vector<std::string> metric_names() const;
  LoopParts loop_parts(MainLoop& main);
  void run_step();  // what the loop calls
  void run_limited_step();
  void try_step();
  template <class Body>
  broch_status in_force(Body&& body);
  broch_status call_run_step();
  [[noreturn]] void end_of_data() const;
  [[noreturn]] void cancelled_step() const;
  [[noreturn]] void give_up();
  void limit_steps();
  void require_feeds() const;

  TrainerParts parts_;
  std::unique_ptr<dist::Group> group_of_plugins_;
  abi::Trainer role_;
  std::optional<Towers> towers_;
  std::optional<abi::SpecArray> signature_;
  runtime::SignatureHolder signature_holder_;
  runtime::TowerDevices tower_devices_;
  std::optional<Input> input_;
  Optimizers optimizers_;
  summary::MovingAverages averages_;
  CostAverages costs_;
  Plans plans_;
  Servers servers_;
  Callbacks callbacks_;
  abi::EventPlaces event_places_;
  std::unique_ptr<CallbackSlot> own_slot_;
  std::optional<ChiefWrites> chief_writes_;  // set if there are several ranks
  Monitors monitors_;
  AwaitedMetrics awaited_;
  Executor executor_;
  StepPlace place_;
  HookedRuns runs_;
  std::optional<Predictors> predictors_;
  std::map<const abi::Instance*, OtherModel> other_models_;
  runtime::ScalarCell<int64_t> global_step_;
  Cursors resume_after_;
  std::optional<RankCursors> rank_cursors_;  // set in main_loop if there are several ranks
  std::optional<TrainLoop> loop_;
  std::optional<StepLimit> step_limit_;  // in main_loop, if steps have a limit
  std::vector<Agreed> kept_alike_;
  Plan* default_plan_ = nullptr;
  bool in_step_ = false;           // inside run_step …
  bool step_has_effects_ = false;  // … and it has executed a plan or taken a point
  uint8_t flags_of_step_ = 0;
  // The global_step before the step that runs, or was not completed.
  std::optional<int64_t> step_began_at_;
  Phase phase_ = Phase::graph;
  PhaseGuard phases_{"trainer"};
  // Last, because their threads use the other members.
  std::vector<std::unique_ptr<plan::AsyncPredictor>> async_predictors_;
};

// Registers the tables of src/ext. They use the Trainer in the context; the progress of
// broch.progress/1 is the broch_progress in the context.
void register_extensions(abi::Context& context);

}  // namespace broch::train
