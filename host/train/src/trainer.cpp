// trainer.cpp: the phases of a run, and the step.
#include "train/trainer.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/log.hpp"
#include "broch/ext/tower.h"
#include "host_slots.hpp"
#include "monitor_slot.hpp"
#include "plan/parameter_server.hpp"
#include "plan/stop.hpp"
#include "queued_monitor_slot.hpp"
#include "rank_checks.hpp"
#include "train/trainable_table.hpp"
#include "train/watchdog.hpp"
#include "update_warnings.hpp"
#include "value/json.hpp"

namespace broch::train {

namespace {

template <class T>
T* address(std::optional<T>& object) {
  return object ? &*object : nullptr;
}

std::optional<Towers> make_towers(const TrainerParts& parts) {
  if (!parts.model) return std::nullopt;
  return std::optional<Towers>(std::in_place, *parts.run_context, *parts.model);
}

// Also after a failure, which a monitor must not hide by one of its own.
void tell_ending(Monitors& monitors, const Ending& ending) {
  value::Value said{value::Value::Object{}};
  said.set("outcome", value::Value(std::string(ending.outcome)));
  said.set("reason", value::Value(ending.reason));
  said.set("exit_code", value::Value(int64_t(ending.exit)));
  const std::string text = value::to_text(said);
  try {
    monitors.put_event(BROCH_EVENT_TRAINING_ENDED, text.data(), text.size());
    monitors.finish();  // before an after_train that may crash
  } catch (const std::exception& error) {
    base::error(error.what());
  }
}

std::optional<Input> make_input(const TrainerParts& parts) {
  if (!parts.input) return std::nullopt;
  return std::optional<Input>(std::in_place, *parts.input, *parts.interrupt);
}

std::optional<ChiefWrites> make_chief_writes(const TrainerParts& parts,
                                             const Callbacks& callbacks) {
  if (!parts.group) return std::nullopt;
  return std::optional<ChiefWrites>(
      std::in_place, ChiefWrites::Deps{parts.backend, parts.variables, parts.hypers, parts.group,
                                       &callbacks, parts.session_inits, parts.context});
}

bool may_be_the_data(base::Exit exit) {
  return exit == base::Exit::training || exit == base::Exit::numbers || exit == base::Exit::data ||
         exit == base::Exit::memory;
}

}  // namespace

Trainer::Trainer(TrainerParts parts)
    : parts_(std::move(parts)),
      role_(abi::Trainer::make(*parts_.trainer)),
      towers_(make_towers(parts_)),
      input_(make_input(parts_)),
      optimizers_(*parts_.run_context),
      plans_(plan_deps()),
      callbacks_(*parts_.clock, parts_.interrupt),
      chief_writes_(make_chief_writes(parts_, callbacks_)),
      monitors_(*parts_.progress),
      awaited_(parts_.metric_words, {&monitors_, parts_.progress, &callbacks_.pending(),
                                     [this] { return summary_names(); }}),
      executor_(executor_deps()),
      runs_({&callbacks_, &executor_, &monitors_, parts_.backend, parts_.run_context,
             parts_.progress}) {
  broch_progress* progress = parts_.progress;
  parts_.run_context->global_step = [progress] { return load_global_step(*progress); };
  parts_.run_context->epoch_num = [progress] { return progress->epoch_num; };
  if (towers_) {
    signature_.emplace(towers_->signature());
    signature_holder_ = {&towers_->signature(), runtime::Device{}};
    predictors_.emplace(*towers_, *towers_, *parts_.variables, parts_.predict_devices);
    parts_.context->provide(&signature_holder_);
  }
  parts_.context->provide(const_cast<broch_cancel*>(parts_.interrupt->token()));
  parts_.context->provide<tower::WriteWatch>(address(chief_writes_));
  parts_.context->provide<abi::TriggerWatch>(&awaited_);
  parts_.context->provide(this);
}

Plans::Deps Trainer::plan_deps() {
  return {.backend = parts_.backend,
          .towers = address(towers_),
          .optimizers = &optimizers_,
          .variables = parts_.variables,
          .context = parts_.run_context,
          .group = parts_.group,
          .everyone = parts_.everyone,
          .hypers = parts_.hypers,
          .optimizer = parts_.optimizer,
          .processors = parts_.processors,
          .interrupt = parts_.interrupt,
          .make_instance = parts_.make_instance,
          .trains = parts_.trains};
}

Executor::Deps Trainer::executor_deps() {
  return {.backend = parts_.backend,
          .variables = parts_.variables,
          .towers = address(towers_),
          .input = address(input_),
          .optimizers = &optimizers_,
          .averages = &averages_,
          .costs = &costs_,
          .progress = parts_.progress,
          .group = parts_.group,
          .rank_writes = address(chief_writes_),
          .has_servers = has_servers(),
          .interrupt = parts_.interrupt,
          .deterministic = parts_.deterministic};
}

Trainer::OtherModel::OtherModel(TrainerParts& parts, abi::Instance& model, const Towers& trained)
    : towers(*parts.run_context, model, Towers::Makes::nothing),
      signature(towers.signature()),
      predictors(towers, trained, *parts.variables, parts.predict_devices) {}

// Where nothing is trained, such as in an evaluation, a tower for predictions makes the variables.
Trainer::OtherModel& Trainer::other_model(abi::Instance& model) {
  if (towers_->all().empty()) predictors_->tower("", 0);
  return other_models_.try_emplace(&model, parts_, model, *towers_).first->second;
}

Trainer::~Trainer() {
  parts_.context->provide<Trainer>(nullptr);
  parts_.context->provide<tower::WriteWatch>(nullptr);
  parts_.context->provide<abi::TriggerWatch>(nullptr);
  parts_.context->provide<broch_cancel>(nullptr);
  if (towers_) parts_.context->provide<runtime::SignatureHolder>(nullptr);
}

Fetches::Deps Trainer::names() const {
  return {towers_ ? &*towers_ : nullptr, parts_.variables, parts_.hypers};
}

void Trainer::setup_graph() {
  phases_.enter("setup_graph");
  global_step_ = {*parts_.variables, "global_step", 0, "the step counter"};
  abi::Environment environment;
  if (input_) {
    input_->setup(towers_ ? towers_->signature() : std::vector<abi::InputSpec>{},
                  parts_.provided_inputs);
    environment.check(*parts_.input, "setup");
  }
  if (abi::Callback::plays(*parts_.trainer))
    own_slot_ = std::make_unique<PluginSlot>(*parts_.trainer);
  role_.setup_graph();
  environment.check(*parts_.trainer, "setup_graph");
  plans_.require_sealed();
  default_plan_ = plans_.first_of(*parts_.trainer);
  require_step();
  declare_averages();
  optimizers_.build();
  plans_.bind_buffers();
}

void Trainer::require_step() const {
  if (default_plan_ || role_.has_run_step()) return;
  throw base::Error{base::Exit::plugin,
                    {abi::describe(*parts_.trainer), "neither a plan nor a run_step", "one of them",
                     "add a plan in setup_graph"}};
}

// One more call of the main tower on its example shows which moving averages it has.
void Trainer::declare_averages() {
  averages_.declare(*parts_.variables, plans_.averages(), "moving averages of gradients");
  tower::Tower* main = towers_ ? towers_->training(0) : nullptr;
  if (!main || main->registration().summaries.empty()) return;
  tower::RunInputs inputs;
  inputs.inputs = towers_->example(main->spec().device);
  averages_.declare(*parts_.variables, main->run(std::move(inputs), false).moving,
                    "moving averages");
}

// Called before the callbacks at an epoch's end, which may change hyper-parameters. Values that
// the summaries of the last step have put are kept.
void Trainer::put_stats() {
  const auto put = [this](const std::string& name, double value) {
    const broch_metric_point* last = monitors_.latest(name);
    if (last && last->global_step == parts_.progress->global_step) return;
    monitors_.put_scalar(name.c_str(), value);
  };
  for (const auto& [name, value] : costs_.values()) put(name, value);
  for (const std::string& name : parts_.hypers->names()) put(name, parts_.hypers->get(name));
}

std::vector<std::string> Trainer::summary_names() const {
  std::vector<std::string> names = averages_.names();
  if (const tower::Tower* main = towers_ ? towers_->training(0) : nullptr)
    for (const std::string& name : main->registration().summaries)
      for (const char* kind : {"", "-sparsity", "-mean", "-rms"})
        names.push_back(clean_tag(name + kind));
  return names;
}

void Trainer::setup_callbacks() {
  phases_.require("setup_graph", "setup_callbacks");
  phases_.enter("setup_callbacks");
  const std::string table = trainable_table(*parts_.variables, plans_.remarks());
  if (!table.empty()) base::info(table);
  if (table.empty() && towers_) base::warning("No trainable variables in the graph!");
  phase_ = Phase::callbacks;
  add_callbacks();
  callbacks_.setup_graph();
  plans_.require_sealed();
  optimizers_.build();
  plans_.bind_buffers();
  runs_.resolve(names());
  if (is_server()) return;
  if (!parts_.backend->is_null()) plans_.average_costs(costs_);
  if (!towers_) return;
  warn_of_unrun_updates(*towers_, executor_);
  warn_of_unreached_updates(*towers_, plans_, runs_);
}

void Trainer::add_callbacks() {
  add_input_callbacks();
  if (own_slot_) callbacks_.add(std::move(own_slot_));
  callbacks_.add(std::make_unique<StepCounter>(global_step_, *parts_.progress));
  callbacks_.add(std::make_unique<EpochStats>([this] { put_stats(); }));
  for (const auto* list : {&parts_.callbacks, &parts_.extra_callbacks})
    for (const CallbackPart& part : *list)
      callbacks_.add(std::make_unique<PluginSlot>(*part.instance), part.chief_only,
                     parts_.progress->is_chief);
  for (abi::Instance* monitor : parts_.monitors) add_monitor(*monitor);
  callbacks_.add(std::make_unique<Dispatcher>(monitors_));
}

void Trainer::add_monitor(abi::Instance& monitor) {
  MonitorQueue* const queue = monitors_.add(monitor);
  if (!abi::Callback::plays(monitor)) return;
  if (queue)
    callbacks_.add(std::make_unique<QueuedMonitorSlot>(monitor, *queue, monitors_.failures()));
  else
    callbacks_.add(std::make_unique<MonitorSlot>(monitor, monitors_));
}

void Trainer::add_input_callbacks() {
  if (!input_) return;
  callbacks_.add(std::make_unique<InputStart>(*input_, plans_, resume_after_));
  add_callbacks_of(*parts_.input);
}

// The components of a source come before the source.
void Trainer::add_callbacks_of(abi::Instance& source) {
  for (const abi::Instance::Child& child : source.children())
    if (child.owned) add_callbacks_of(*child.owned);
  if (abi::Callback::plays(source))
    callbacks_.add(std::make_unique<PluginSlot>(source, PluginSlot::Events::of_input));
}

void Trainer::initialize(bool resumed) {
  phases_.require("setup_callbacks", "initialize");
  phases_.enter("initialize");
  if (!resumed)
    for (abi::Instance* init : parts_.session_inits) {
      if (parts_.progress->is_chief)
        abi::SessionInit::make(*init).init();
      else
        base::warning(abi::describe(*init) + " runs on the chief only; this rank gets its values");
    }
  if (parts_.group) require_same_plans(*parts_.group, *parts_.variables, plans_);
  if (has_servers()) require_same_served(*parts_.everyone, plans_, *parts_.hypers, *parts_.trainer);
  parts_.variables->seal();
  parts_.hypers->refresh();
  phase_ = Phase::ready;
}

dist::Group& Trainer::group_of_plugins() {
  if (!group_of_plugins_)
    group_of_plugins_ = parts_.group->first(parts_.group->ranks().world, dist::kPluginsNumber);
  return *group_of_plugins_;
}

void Trainer::around_steps(bool begin) {
  if (begin) return chief_writes_->steps_begin();
  chief_writes_->steps_end();
  chief_writes_->hand_on();
  if (rank_cursors_) rank_cursors_->after_epoch();
  require_agreement(*parts_.group, *parts_.backend, kept_alike_,
                    "at the end of epoch " + std::to_string(parts_.progress->epoch_num) +
                        " (global_step " + std::to_string(parts_.progress->global_step) + ")");
}

void Trainer::serve() {
  phases_.require("initialize", "serve");
  phases_.enter("serve");
  for (ParameterServerShard* list : plans_.served_lists()) list->spread();
  ParameterServer(*parts_.everyone, *parts_.hypers, plans_.served_lists()).serve();
}

void Trainer::tell_servers(Request::What what) {
  const dist::Ranks& ranks = parts_.everyone->ranks();
  const size_t hypers = parts_.hypers->names().size();
  for (uint32_t server = ranks.workers(); server < ranks.world; ++server)
    send_request(*parts_.everyone, {what, 0, kNoRankFlags, {}}, hypers, server);
}

void Trainer::fetch_served() {
  if (!served_) return;
  tell_servers(Request::What::state);
  for (ParameterServerShard* list : plans_.served_lists()) list->fetch_state();
}

void Trainer::take_cursors(std::vector<Cursors> saved) {
  const uint64_t rank = parts_.run_context->rank;
  if (!saved.empty()) resume_after_ = saved.size() == 1 ? saved.front() : saved.at(rank);
  if (input_ && parts_.group) rank_cursors_.emplace(*input_, *parts_.group, std::move(saved));
}

base::Exit Trainer::main_loop(MainLoop main) {
  phases_.require("initialize", "main_loop");
  phases_.enter("main_loop");
  require_feeds();
  take_cursors(std::move(main.cursors));
  LoopParts parts;
  parts.progress = parts_.progress;
  parts.callbacks = &callbacks_;
  parts.run_step = [this] {
    run_step();
    if (rank_cursors_) rank_cursors_->after_step();
  };
  parts.stored_global_step = [this] { return global_step_.get(); };
  parts.stop_request = [this] { return runs_.take_stop_request(); };
  parts.enough = std::move(main.enough);
  parts.before_train = [this, begun = std::move(main.begun)](bool begins) {
    monitors_.drop_scalars(begins && parts_.progress->resumed);
    if (begins) return;
    parts_.hypers->refresh();  // other ranks have received the variables of rank 0
    if (begun) begun();
  };
  parts.finished = [this] { awaited_.finish(); };
  if (parts_.group) {
    chief_writes_->agree();
    kept_alike_ = plans_.kept_alike();
    parts.agree_to_stop = [this](bool stops) { return parts_.group->any(stops); };
    parts.hand_on = [this] { chief_writes_->hand_on(); };
    parts.around_steps = [this](bool begin) { around_steps(begin); };
  }
  parts.interrupt = parts_.interrupt;
  parts.on_interrupt = std::move(main.on_interrupt);
  parts.at_end = std::move(main.at_end);
  parts.ended = [this](const Ending& ending) { tell_ending(monitors_, ending); };
  parts.take_control_requests = std::move(main.take_control_requests);
  parts.clock = parts_.clock;
  loop_.emplace(main.config, std::move(parts));
  if (main.resume_at) loop_->resume_at(*main.resume_at);

  limit_steps();
  const Watchdog watchdog(
      *parts_.interrupt,
      [this] { return parts_.interrupt->raised() && input_ && input_->waiting(); },
      [this] { give_up(); });
  struct StopInput {
    Trainer& trainer;
    ~StopInput() {
      try {
        trainer.parts_.interrupt->cancel();
        if (trainer.input_) trainer.input_->stop();
      } catch (const std::exception& error) {
        base::error("stopping the input failed: " + std::string(error.what()));
      }
    }
  };
  const StopInput stop_input{*this};
  if (has_servers()) {
    for (ParameterServerShard* list : plans_.served_lists()) list->spread();
    served_ = true;
  }
  const base::Exit exit = loop_->run();
  if (served_) tell_servers(Request::What::leave);
  served_ = false;
  return exit;
}

// Runs on the watchdog's thread, because [main] hangs inside the source.
void Trainer::give_up() {
  base::error(input_->describe() +
              " did not return from next within 5 seconds of the signal: ending without it");
  callbacks_.after_train({parts_.input});
  std::_Exit(static_cast<int>(parts_.interrupt->exit()));
}

// Where the manifest says which inputs the data have, callbacks feed all others.
void Trainer::require_feeds() const {
  if (!input_ || !towers_ || parts_.provided_inputs.empty()) return;
  const std::vector<abi::InputSpec>& signature = towers_->signature();
  for (const tower::Tower* tower : towers_->training())
    for (size_t i = 0; tower && i < signature.size(); ++i)
      if (!input_->provides(i) && !runs_.feeds(*tower, signature[i].name))
        throw base::Error{base::Exit::manifest,
                          {"input '" + signature[i].name + "' of " + tower->describe(),
                           "neither in remap_input_source nor fed by a callback", "one of the two",
                           "add it to the list, or announce a feed in setup_graph of a callback"}};
}

void Trainer::limit_steps() {
  if (!parts_.step_timeout) return;
  StepLimit::Deps deps;
  deps.seconds = *parts_.step_timeout;
  deps.interrupt = parts_.interrupt;
  deps.doing = [this, main = pthread_self()] { return doing(abi::place_of(main)); };
  deps.cancel = [this] {
    if (input_) input_->cancel();
  };
  deps.give_up = [this, main = pthread_self()](const std::string& why) {
    base::error(why + where() + "\nIt has not ended within 5 seconds since: ending without it");
    callbacks_.after_train(abi::place_of(main).calls);
    std::_Exit(static_cast<int>(base::Exit::training));
  };
  step_limit_.emplace(std::move(deps));
}

std::string Trainer::doing(const abi::Place& place) const {
  const char* const node = executor_.executing();
  return (input_ && input_->waiting() ? "waits for a data point of " + input_->describe()
          : node                      ? "executes a node " + std::string(node)
                                      : "is") +
         (place.text.empty() ? " outside of plugins" : place.text);
}

// If a step fails, the message names the data that it used.
void Trainer::run_step() {
  const StepLimit::Step limited(address(step_limit_));
  try {
    try_step();
    if (step_limit_) parts_.interrupt->raise_failure();
  } catch (const base::Error& error) {
    if (!may_be_the_data(error.exit())) throw;
    throw base::Error(error.exit(), error.what() + where());
  }
}

std::string Trainer::where() const {
  const broch_progress& now = *parts_.progress;
  std::string text = "\n  in step " + std::to_string(now.local_step + 1) + " of " +
                     std::to_string(now.steps_per_epoch) + " of epoch " +
                     std::to_string(now.epoch_num);
  const auto add = [&](uint32_t tower, const std::string& points) {
    text += "\n  tower " + std::to_string(tower) + " had " +
            (points.empty() ? "a data point without a cursor" : points);
  };
  if (const auto& taken = executor_.points_of_failed_run()) {
    for (const Executor::TowerPoints& one : *taken) add(one.tower, one.points);
  } else if (input_) {
    for (uint32_t tower = 0; input_->consumed(tower) > 0; ++tower)
      add(tower, input_->consumed_text(tower));
  }
  return text;
}

void Trainer::try_step() {
  struct InStep {
    explicit InStep(Trainer& trainer) : trainer(trainer) { trainer.in_step_ = true; }
    ~InStep() {
      trainer.in_step_ = trainer.step_begun_ = false;
      if (trainer.input_) trainer.input_->keep_waiting(false);
    }
    Trainer& trainer;
  };
  const InStep in_step(*this);
  executor_.forget_failed_run();
  const uint64_t messages_before = abi::thread_state().messages;
  broch_status status;
  try {
    status = call_run_step();
  } catch (...) {
    callbacks_.pending().rethrow();  // a pending exception is the actual reason
    throw;
  }
  callbacks_.pending().rethrow();
  if (status == BROCH_STOP) throw stopped_by(parts_.trainer, messages_before);
  if (status == BROCH_CANCELLED) cancelled_step();
  if (status == BROCH_END)
    throw EndOfData("the end of the data" +
                    (input_ ? " of " + abi::describe(*parts_.input) : std::string()));
}

// The step is repeated when the run is resumed, so it must have changed nothing.
void Trainer::cancelled_step() const {
  if (step_begun_)
    throw base::Error{base::Exit::training,
                      {abi::describe(*parts_.trainer),
                       "BROCH_CANCELLED from a run_step that has run a plan or taken a data point",
                       "the step to be completed, since half a step cannot be resumed",
                       "wait before the first run and the first data point of the step"}};
  throw_cancelled(parts_.interrupt, *parts_.trainer,
                  "BROCH_OK, BROCH_STOP, BROCH_END or a failure");
}

broch_status Trainer::call_run_step() {
  if (!role_.has_run_step()) return runs_.run(default_plan_);
  const broch_status status = role_.run_step();
  if (status != BROCH_NONE) return status;
  require_step();  // it turned out that the plugin has no run_step
  return runs_.run(default_plan_);
}

// Stores an exception that ends the step, so that it takes effect even if the plugin ignores it.
template <class Body>
broch_status Trainer::in_force(Body&& body) {
  try {
    return body();
  } catch (const StopTraining&) {
    callbacks_.pending().keep_current();
    return BROCH_STOP;
  } catch (const Interrupted&) {
    callbacks_.pending().keep_current();
    return BROCH_STOP;
  } catch (const base::Error&) {
    callbacks_.pending().keep_current();
    throw;
  }
}

broch_status Trainer::run_for_plugin(Plan* plan, bool hooked, const char* group) {
  return in_force([&] {
    // A step that has begun must be completed, or it could not be resumed exactly: later
    // executions keep waiting.
    if (input_) input_->keep_waiting(step_begun_);
    const broch_status status = !hooked ? runs_.run_plain(plan)
                                : group ? runs_.run_in_group(plan)
                                        : runs_.run(plan);
    step_begun_ = in_step_;
    return status;
  });
}

broch_status Trainer::next_for_plugin(uint32_t tower, runtime::Point& point) {
  return in_force([&] {
    input_->keep_waiting(step_begun_);
    point.clear();
    const broch_status status = input_->next(tower, point);
    if (status != BROCH_OK) return status;
    step_begun_ = true;
    std::string cursor = point.cursor;
    input_->consumed(tower, point);
    point.cursor.swap(cursor);
    return status;
  });
}

broch_status Trainer::evaluate_for_plugin(const std::function<broch_status()>& evaluate) {
  try {
    return evaluate();
  } catch (const Interrupted&) {
    callbacks_.pending().keep_current();
    return BROCH_CANCELLED;
  }
}

Position Trainer::position() const { return loop_ ? loop_->position() : Position{}; }

const Cursors& Trainer::cursors() const {
  static const Cursors kNone;
  return input_ ? input_->cursors() : kNone;
}

std::vector<Cursors> Trainer::cursors_of_ranks() {
  if (rank_cursors_) return rank_cursors_->all();
  return {cursors()};
}

}  // namespace broch::train
