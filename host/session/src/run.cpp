// run.cpp: builds a run in the order of its phases, and runs it.
#include "session/run.hpp"

#include <algorithm>
#include <functional>

#include "abi/crash.hpp"
#include "abi/roles.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "devices.hpp"
#include "hyper_places.hpp"
#include "manifest/defaults.hpp"
#include "metric_names.hpp"
#include "own_data.hpp"
#include "plugins/entry.hpp"
#include "run_control.hpp"
#include "session/preconditions.hpp"
#include "store/adopted_checkpoint.hpp"
#include "tower/extensions.hpp"

namespace broch::session {
namespace {

tower::Execution execution_of(const std::string& name) {
  using tower::Execution;
  return name == "recorded" ? Execution::recorded
         : name == "eager"  ? Execution::eager
         : name == "audit"  ? Execution::audit
                            : Execution::automatic;
}

using manifest::Component;

std::shared_ptr<runtime::Backend> make_backend(bool null_runtime) {
  if (null_runtime) return runtime::make_null_backend();
  return runtime::open_torch_backend();
}

}  // namespace

Run::Run(const Setup& setup, RunOptions options) : setup_(setup), options_(std::move(options)) {
  progress_.struct_size = sizeof progress_;
  progress_.is_chief = options_.rank == 0;
  if (options_.profile.empty()) return;
  const std::string of_rank = options_.rank ? ".rank" + std::to_string(options_.rank) : "";
  trace_.emplace(options_.profile + of_rank);
  trace_->name_thread("main");
}

// Instances outlive the trainer and may ask for a checkpoint, or set an option, until they are
// destroyed; from here on, they get an error.
Run::~Run() {
  services_.reset();
  context_.provide<abi::SettableOptions>(nullptr);
  if (checkpoints_) checkpoints_->provide({});
}

void Run::build() {
  abi::install_crash_handler();
  interrupt_.install(options_.group != nullptr);
  open_log_dir();
  if (options_.everyone) open_log_of_rank();
  for (const std::string& warning : setup_.warnings()) base::warning(warning);
  if (!setup_.shortened().empty()) base::info(setup_.shortened());
  fill_context();
  make_instances();
  fill_parts();
  trainer_.emplace(parts_);
  trainer_->setup_graph();
  const bool has_servers = options_.everyone && options_.everyone->ranks().servers > 0;
  changes_.emplace(
      *hypers_, *instances_, [this] { return instances_here(); }, setup_.kinds(), has_servers);
  context_.provide<abi::SettableOptions>(&*changes_);
  trainer_->setup_callbacks();
  warn_of_trigger_missing();
  hyper_places_ = hyper_places(setup_.manifest(), setup_.kinds(), *hypers_);
  std::set<std::string> in_manifest;
  for (const auto& [name, places] : hyper_places_) in_manifest.insert(name);
  changes_->set_in_manifest(std::move(in_manifest));
  checkpoints_->provide(state());
  const bool skips_session_init = options_.resume || !options_.session_init;
  trainer_->initialize(skips_session_init);
  if (!options_.resume) changes_->begin();
}

RunState Run::state() {
  RunState state;
  state.backend = backend_.get();
  state.variables = variables_.get();
  state.hypers = hypers_.get();
  state.changes = &*changes_;
  state.input = trainer_->input();
  state.cursors = [this] { return trainer_->cursors_of_ranks(); };
  state.monitors = &trainer_->monitors();
  state.costs = &trainer_->costs();
  state.progress = &progress_;
  state.before_save = [this] { trainer_->fetch_served(); };
  state.before_first_in = [this](const std::string& folder) {
    return note_checkpoint_folder(folder);
  };
  state.position = [this] { return trainer_->position(); };
  state.instances = instances_->all();
  state.former_names = instances_->former_names();
  for (const auto* list : {&parts_.callbacks, &parts_.extra_callbacks})
    for (const train::CallbackPart& part : *list) state.listed.callbacks.push_back(part.instance);
  state.listed.when = manifest::default_id("when");
  state.runners = [this] { return runners(); };
  state.fingerprint = fingerprint();
  if (const plan::Towers* towers = trainer_->towers()) {
    state.towers = int64_t(towers->training().size());
    state.fingerprint["run.devices"] = models_of_devices(*towers, *backend_, options_.group);
  }
  state.ranks = options_.world;
  if (options_.everyone) state.servers = options_.everyone->ranks().servers;
  return state;
}

void Run::check_model() {
  const std::optional<Component>& model = setup_.manifest().model;
  if (!model || model->is_reference()) return;
  const plugins::Component* installed = setup_.catalog().look_up(model->use);
  if (!installed || !installed->check_creates) return;
  abi::install_crash_handler();
  fill_context();
  announce_instances();
  instances_->make(*model);
}

// Makes what instances find in the context.
void Run::fill_context() {
  open_backend();
  make_stores();
  fill_run_context();
  provide_all();
}

void Run::open_backend() {
  const manifest::Manifest& manifest = setup_.manifest();
  backend_ = options_.backend ? options_.backend : make_backend(options_.null_runtime);
  runtime::BackendOptions settings;
  settings.threads = int(manifest.runtime.threads.value_or(1));
  const bool fast = manifest.runtime.level == "fast" && manifest.runtime.execution != "eager";
  run_context_.level = fast ? runtime::Level::fast : runtime::Level::bitwise;
  settings.level = run_context_.level;
  backend_->configure(settings);
}

void Run::make_stores() {
  const manifest::Manifest& manifest = setup_.manifest();
  variables_ = std::make_unique<runtime::VariableStore>(*backend_, uint64_t(manifest.seed));
  hypers_ = std::make_unique<runtime::HyperParams>(*variables_, runtime::Device{});
  checkpoints_ = std::make_unique<Checkpoints>(log_dir(), *options_.clock);
  if (options_.rehearses) checkpoints_->rehearse(options_.rank == 0 ? manifest.log_dir : "");
}

// What towers need to know of the run.
void Run::fill_run_context() {
  const manifest::Manifest& manifest = setup_.manifest();
  run_context_.backend = backend_.get();
  run_context_.variables = variables_.get();
  run_context_.hypers = hypers_.get();
  run_context_.root_seed = uint64_t(manifest.seed);
  run_context_.execution = execution_of(manifest.runtime.execution);
  run_context_.without = require_passes(manifest, *backend_);
  run_context_.bf16 = manifest.runtime.bf16;
  if (run_context_.bf16 && !backend_->multiplies_bf16())
    base::warning(
        "runtime.precision: bf16 will be slower than float32: this processor has neither "
        "AVX512-BF16 nor AMX");
  seeds_ = {run_context_.root_seed, options_.rank};
  run_context_.rank = options_.rank;
  run_context_.ranks = options_.world;
}

void Run::provide_all() {
  extend_with_all(context_);
  tower::register_torch_cxx(context_, *backend_);
  context_.provide(backend_.get());
  context_.provide(variables_.get());
  context_.provide(hypers_.get());
  context_.provide(&run_context_);
  context_.provide(&progress_);
  context_.provide(&progress_page_);
  context_.provide(&seeds_);
  context_.provide(checkpoints_.get());
  context_.provide(options_.group);
  if (options_.group) context_.provide(&asked_tables_);
  if (log_dir_) context_.provide(&*log_dir_);
  if (options_.ui) context_.provide(options_.ui);
}

void Run::announce_instances() {
  instances_ = std::make_unique<Instances>(
      context_, setup_.catalog(), setup_.kinds(),
      [this](const std::string& name) -> std::optional<double> {
        const broch_metric_point* point = trainer_ ? trainer_->monitors().latest(name) : nullptr;
        return point ? std::optional<double>(point->value) : std::nullopt;
      });
  const std::vector<Component>& callbacks = setup_.manifest().callbacks;
  std::vector<const Component*> order = setup_.components();
  if (!options_.all_callbacks)
    std::erase_if(order, [&](const Component* one) {
      return std::ranges::find(callbacks, one, [](auto& c) { return &c; }) != callbacks.end();
    });
  instances_->announce(order);
}

// In the order of the manifest.
void Run::make_instances() {
  announce_instances();
  const manifest::Manifest& manifest = setup_.manifest();
  if (manifest.model) parts_.model = &instances_->make(*manifest.model);
  if (setup_.input() && !options_.serves()) parts_.input = &instances_->make(*setup_.input());
  parts_.trainer = &instances_->make(manifest.trainer);
  for (const Component& component : manifest.session_init)
    parts_.session_inits.push_back(&instances_->make(component));
  add_other_metric_words({manifest, setup_.catalog(), setup_.kinds(), setup_.input()},
                         parts_.metric_words);
  if (options_.serves()) return;
  if (options_.all_callbacks) add_callbacks(manifest.callbacks, parts_.callbacks);
  add_callbacks(manifest.extra_callbacks, parts_.extra_callbacks);
  for (const Component& component : manifest.monitors)
    parts_.monitors.push_back(&instances_->make(component));
  if (parts_.input) require_own_data(*instances_, *parts_.input);
}

// What the trainer gets besides instances.
void Run::fill_parts() {
  const manifest::Manifest& manifest = setup_.manifest();
  parts_.context = &context_;
  parts_.progress = &progress_;
  parts_.backend = backend_.get();
  parts_.variables = variables_.get();
  parts_.hypers = hypers_.get();
  parts_.run_context = &run_context_;
  parts_.interrupt = &interrupt_;
  parts_.group = options_.group;
  parts_.everyone = options_.everyone;
  parts_.deterministic = manifest.runtime.deterministic;
  if (manifest.runtime.consistent) variables_->consistency().require();
  parts_.trains = options_.trains;
  parts_.step_timeout = manifest.runtime.step_timeout;
  parts_.starting_epoch = manifest.starting_epoch;
  parts_.clock = options_.clock;
  parts_.provided_inputs = manifest.remap_input_source;
  if (manifest.optimizer)
    parts_.optimizer = {manifest.optimizer->entry, manifest.optimizer->pointer};
  for (const Component& component : manifest.gradient_processors)
    parts_.processors.push_back({component.entry, component.pointer});
  parts_.make_instance = [this](const std::string& role,
                                const optimizer::Entry& entry) -> abi::Instance& {
    return instances_->make(role, entry.value, entry.pointer);
  };
  const uint32_t local_rank = options_.everyone ? options_.everyone->ranks().local_rank : 0;
  require_present_devices(manifest, options_.trains, local_rank, *backend_);
  parts_.predict_devices = predict_devices(manifest, local_rank, *backend_);
  tell_automatic_devices(manifest, *backend_);
}

// An instance that further entries refer to has its place at the first one.
void Run::add_callbacks(const std::vector<Component>& from, std::vector<train::CallbackPart>& to) {
  const MetricSources sources{setup_.manifest(), setup_.catalog(), setup_.kinds(), setup_.input()};
  const auto has = [](const std::vector<train::CallbackPart>& list, const abi::Instance& one) {
    return std::ranges::count(list, &one, &train::CallbackPart::instance) > 0;
  };
  for (const Component& component : from) {
    abi::Instance& instance = instances_->make(component);
    if (!has(parts_.callbacks, instance) && !has(parts_.extra_callbacks, instance))
      to.push_back({&instance, !instances_->runs_everywhere(component)});
    if (options_.awaits_metrics && !component.is_reference())
      add_metric_words(component, instance, sources, parts_.metric_words);
  }
}

// All instances, without callbacks that run on rank 0 only and what is inside them. Those exist on
// the other ranks, too, but do not run there.
std::vector<abi::Instance*> Run::instances_here() const {
  std::vector<abi::Instance*> here = instances_->all();
  const std::function<void(abi::Instance&)> leave_out = [&](abi::Instance& instance) {
    std::erase(here, &instance);
    for (const abi::Instance::Child& child : instance.children())
      if (child.owned) leave_out(*child.owned);
  };
  if (!progress_.is_chief)
    for (const auto* list : {&parts_.callbacks, &parts_.extra_callbacks})
      for (const train::CallbackPart& part : *list)
        if (part.chief_only) leave_out(*part.instance);
  return here;
}

void Run::start_services() {
  if (!services_) services_.emplace(instances_here());
}

void Run::conclude(base::Exit exit) {
  context_.conclude(exit);
  if (trainer_) trainer_->monitors().finish();  // after a start that failed, there may be more
  if (leaves_log_dir(exit)) write_end(exit);
  services_.reset();
  if (trace_) trace_->finish();
  if (log_dir_ && !leaves_log_dir(exit)) log_dir_->take_back();
}

std::map<std::string, std::string> Run::fingerprint() const {
  const manifest::Manifest& manifest = setup_.manifest();
  const bool fast = run_context_.level == runtime::Level::fast;
  std::map<std::string, std::string> fingerprint = {
      {"run.runtime", backend_->version()},
      {"run.level", fast ? "fast" : "bitwise"},
      {"run.precision", run_context_.bf16 ? "bf16" : "float32"},
      {"run.threads", std::to_string(manifest.runtime.threads.value_or(1))},
      {"run.seed", std::to_string(manifest.seed)},
      {"run.abi", plugins::host_interface()}};
  if (fast) {  // at level bitwise, passes do not affect the bits
    const std::vector<std::string> without(run_context_.without.begin(),
                                           run_context_.without.end());
    fingerprint["run.disabled_passes"] = without.empty() ? "none" : base::join(without, ", ");
  }
  return fingerprint;
}

train::MainLoop Run::main_loop() {
  train::MainLoop loop;
  loop.config = loop_config();
  if (options_.resume) {
    const Resumed resumed = checkpoints_->resume(resume_from_);
    base::info("resumed from " + resume_from_);
    loop.resume_at = resumed.position;
    loop.cursors = resumed.cursors;
    // A branch starts with the checkpoint, so that savers and a second --resume find it in its
    // folder. They also have to find one that was named because the list there is damaged.
    if (log_dir_) {
      const std::string name = store::checkpoint_name(int64_t(hypers_->get("global_step")));
      if (log_dir_->kept())
        store::renew_damaged_list(std::filesystem::path(resume_from_).parent_path(), name);
      else
        checkpoints_->adopt(resume_from_, name);
    }
  }
  // All ranks end after the same step, and rank 0 saves for all of them; or one ends alone, after
  // ten seconds.
  if (options_.writes && (log_dir_ || options_.group))
    loop.on_interrupt = [this] {
      if (log_dir_) base::info("saved to " + checkpoints_->save().string());
      checkpoints_->try_again();
      return (options_.rank == 0 || interrupt_.agreed()) && trainer_->resumes_exactly();
    };
  loop.begun = [this] {
    if (log_dir_) log_dir_->keep();
  };
  loop.at_end = [this] {
    trigger_at_end();
    if (trainer_->ended_within_step() && checkpoints_->has_unsaved())
      base::warning(
          "the training has ended within a step: a run that is resumed from what is saved now does "
          "the step again, and continues, but not with the same bits");
    checkpoints_->try_again();
  };
  return loop;
}

// Whether a callback is in a list of the manifest, perhaps with "when". Inside other callbacks, it
// does not get all events.
bool Run::is_listed(const abi::Instance& callback) const {
  const auto leads_to_it = [&](const train::CallbackPart& part) {
    const abi::Instance* one = part.instance;
    while (one && one != &callback && one->component_id() == manifest::default_id("when"))
      one = one->child_at("/callback").get();
    return one == &callback;
  };
  return std::ranges::any_of(parts_.callbacks, leads_to_it) ||
         std::ranges::any_of(parts_.extra_callbacks, leads_to_it);
}

// Whether the option that its metadata names for this is true.
bool Run::asks_for_end(const abi::Instance& callback) const {
  const plugins::Component* const kind = setup_.catalog().look_up(callback.component_id());
  if (!kind || kind->triggers_at_end.empty()) return false;
  const value::Value* const asked = callback.options_tree().find(kind->triggers_at_end);
  return asked && asked->is(value::Value::Kind::boolean) && asked->boolean();
}

void Run::warn_of_end_unheard() const {
  for (const abi::Instance* instance : instances_here())
    if (asks_for_end(*instance) && !is_listed(*instance))
      base::warning(abi::describe(*instance) + ": its option " +
                    setup_.catalog().look_up(instance->component_id())->triggers_at_end +
                    " has no effect inside another callback: give it an entry of its own, with "
                    "\"when\" if it is not to be triggered after each epoch");
}

// trigger is all that "when" calls, and trigger_epoch is left out for it.
void Run::warn_of_trigger_missing() const {
  for (const abi::Instance* instance : instances_here()) {
    if (instance->component_id() != manifest::default_id("when")) continue;
    abi::Instance& callback = *instance->child_at("/callback").get();
    if (!abi::Callback::make(callback).has_trigger())
      base::warning(abi::describe(callback) +
                    " has no trigger, so \"when\" never calls it: remove \"when\", or use a "
                    "callback that does its work in trigger");
  }
}

// Callbacks that ask for it save in their trigger, for example.
void Run::trigger_at_end() {
  const bool resumable = !trainer_->ended_within_step();
  for (abi::Instance* instance : instances_here()) {
    if (!asks_for_end(*instance) || !is_listed(*instance)) continue;
    if (resumable)
      abi::Callback::make(*instance).trigger();
    else
      base::warning(abi::describe(*instance) +
                    ": nothing is saved at the end, since the training ended within a step, and "
                    "half a step cannot be resumed");
  }
}

base::Exit Run::train() {
  if (options_.serves()) {
    trainer_->serve();
    return base::Exit::ok;
  }
  train::MainLoop loop = main_loop();
  warn_of_end_unheard();
  start_services();
  RunControl control({.trainer = &*trainer_,
                      .changes = &*changes_,
                      .checkpoints = checkpoints_.get(),
                      .interrupt = &interrupt_,
                      .progress = &progress_,
                      .record = &record_,
                      .group = options_.group,
                      .rank = options_.rank,
                      .log_dir = log_dir(),
                      .settings_changed = [this] { note_settings(); }});
  if (log_dir_) write_records();
  if (control.is_of_use()) loop.take_control_requests = [&] { control.take_requests(); };
  try {
    const base::Exit exit = trainer_->main_loop(std::move(loop));
    const bool lacks_files = tell_unwritten();
    return exit == base::Exit::ok && lacks_files ? base::Exit::data : exit;
  } catch (...) {
    tell_unwritten();
    throw;
  }
}

}  // namespace broch::session
