// run.cpp: builds a run in the order of its phases and drives it.
#include "session/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <functional>

#include "abi/crash.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "broch/version.h"
#include "hyper_places.hpp"
#include "manifest/json.hpp"
#include "metric_names.hpp"
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
  auto opened = runtime::open_torch_backend();
  const auto close = opened.get_deleter();
  return {opened.release(), close};
}

// place: an option of an entry, which may have none yet.
void say_at(manifest::Value& manifest, const std::string& place, double number) {
  const manifest::Origin origin = manifest::made_by("the checkpoint that was restored");
  const std::string options = place.substr(0, place.rfind('/'));
  if (!manifest::find_at(manifest, options))
    manifest::set_at(manifest, options, manifest::Value(manifest::Value::Object{}, origin));
  manifest::set_at(manifest, place, manifest::Value(number, origin));
}

std::filesystem::path canonical(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path found = std::filesystem::weakly_canonical(path, error);
  return error ? path : found;
}

std::filesystem::path folder_of(const std::string& file) { return canonical(file).parent_path(); }

// Whether the path stands in some option of a component.
bool names(const manifest::Value& value, const std::filesystem::path& path) {
  using Kind = manifest::Value::Kind;
  if (value.is(Kind::string)) return canonical(value.string()) == path;
  if (value.is(Kind::array))
    return std::ranges::any_of(value.array(), [&](const auto& one) { return names(one, path); });
  return value.is(Kind::object) &&
         std::ranges::any_of(value.object(), [&](const manifest::Member& member) {
           return names(member.value, path);
         });
}

runtime::Device device_of_tower(int64_t tower) {
  return tower < 0 ? runtime::Device{} : runtime::Device{BROCH_DL_CPU, int32_t(tower)};
}

}  // namespace

Run::Run(const Setup& setup, RunOptions options) : setup_(setup), options_(std::move(options)) {
  progress_.struct_size = sizeof progress_;
  progress_.is_chief = options_.rank == 0;
  progress_.rank = options_.rank;
  progress_.world = options_.world;
  if (options_.profile.empty()) return;
  const std::string of_rank = options_.rank ? ".rank" + std::to_string(options_.rank) : "";
  trace_.emplace(options_.profile + of_rank);
  trace_->name_thread("main");
}

// Instances, which may ask for a checkpoint until they are destroyed, outlive the trainer.
Run::~Run() {
  services_.reset();
  if (checkpoints_) checkpoints_->provide({});
}

void Run::build() {
  abi::install_crash_handler();
  interrupt_.install(options_.group != nullptr);
  open_log_dir();
  if (options_.everyone) open_log_of_rank();
  for (const std::string& warning : setup_.warnings()) base::warning(warning);
  if (!setup_.shortened().empty()) base::info(setup_.shortened());
  open_backend();
  make_instances();
  trainer_.emplace(parts_);
  trainer_->setup_graph();
  trainer_->setup_callbacks();
  const bool has_servers = options_.everyone && options_.everyone->ranks().servers > 0;
  hyper_places_ = hyper_places(setup_.manifest(), setup_.kinds(), *hypers_);
  std::set<std::string> in_manifest;
  for (const auto& [name, places] : hyper_places_) in_manifest.insert(name);
  changes_.emplace(*hypers_, std::move(in_manifest), instances_->all(), instances_here(),
                   setup_.kinds(), has_servers);
  RunState state;
  state.backend = backend_.get();
  state.variables = variables_.get();
  state.hypers = hypers_.get();
  state.changes = &*changes_;
  state.input = trainer_->input();
  state.monitors = &trainer_->monitors();
  state.costs = &trainer_->costs();
  state.progress = &progress_;
  state.before_save = [this] { trainer_->fetch_served(); };
  state.position = [this] { return trainer_->position(); };
  state.instances = instances_->all();
  state.runners = [this] { return runners(); };
  state.fingerprint = fingerprint();
  if (trainer_->towers()) state.towers = int64_t(trainer_->towers()->training().size());
  state.ranks = options_.world;
  checkpoints_->provide(std::move(state));
  trainer_->initialize(options_.resume || !options_.session_init);
  if (!options_.resume) changes_->begin();
}

void Run::open_log_dir() {
  const manifest::Manifest& manifest = setup_.manifest();
  if (options_.resume_path == "auto") {
    require_steady_folder(manifest);
    options_.resume_path.clear();
    options_.resume = has_checkpoint(manifest.log_dir);
    if (options_.everyone) require_agreement(options_.resume ? "a checkpoint" : "no checkpoint");
  }
  if (options_.resume)
    resume_from_ =
        find_checkpoint(options_.resume_path.empty() ? manifest.log_dir : options_.resume_path)
            .string();
  if (!options_.writes || options_.rank != 0) return;
  log_dir_.emplace(options_.log_dir.empty() ? manifest.log_dir : options_.log_dir,
                   manifest.log_dir_action, options_.resume && !branches(), *options_.clock);
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  record_.host = host;
  record_.pid = getpid();
  record_.started = options_.clock->wall();
}

// A checkpoint of another folder starts a branch in a log folder of its own. Savers may keep theirs
// outside of the log folder, where the manifest's callbacks say so.
bool Run::branches() const {
  const manifest::Manifest& manifest = setup_.manifest();
  const std::filesystem::path folder = folder_of(resume_from_);
  const std::filesystem::path below = folder.lexically_relative(canonical(manifest.log_dir));
  if (!below.empty() && *below.begin() != "..") return false;
  const manifest::Value* const callbacks = manifest.value.find("callbacks");
  if (callbacks && is_run(manifest.log_dir) && names(*callbacks, folder)) return false;
  base::info("a branch of " + resume_from_ + " begins in " + manifest.log_dir);
  return true;
}

void Run::require_agreement(const std::string& found) const {
  const std::vector<std::string> all = options_.everyone->all_gather(found);
  if (found != all.front())
    throw base::Error(base::Exit::checkpoint,
                      {"resume: auto", found + " in " + setup_.manifest().log_dir + " on this rank",
                       all.front() + ", as on rank 0", "let all ranks see the same log folder"});
}

// Ranks other than 0 write beside its log file.
void Run::open_log_of_rank() const {
  const std::string folder = options_.everyone->all_gather(log_dir()).front();
  if (options_.rank == 0 || folder.empty()) return;
  const std::string file = folder + "/rank" + std::to_string(options_.rank) + ".log";
  try {
    base::set_log_file(file);
  } catch (const base::Error& error) {
    base::warning("this rank has no log file: " + std::string(error.what()));
  }
}

void Run::open_backend() {
  const manifest::Manifest& manifest = setup_.manifest();
  backend_ = options_.backend ? options_.backend : make_backend(options_.null_runtime);
  runtime::BackendOptions settings;
  settings.threads = int(manifest.runtime.threads.value_or(1));
  const bool fast = manifest.runtime.level == "fast" && manifest.runtime.execution != "eager";
  world_.level = fast ? runtime::Level::fast : runtime::Level::bitwise;
  settings.level = world_.level;
  backend_->configure(settings);
  variables_ = std::make_unique<runtime::VariableStore>(*backend_, uint64_t(manifest.seed));
  hypers_ = std::make_unique<runtime::HyperParams>(*variables_, runtime::Device{});
  checkpoints_ = std::make_unique<Checkpoints>(log_dir(), *options_.clock);
  if (options_.rehearses) checkpoints_->rehearse(options_.rank == 0 ? manifest.log_dir : "");
  world_.backend = backend_.get();
  world_.variables = variables_.get();
  world_.hypers = hypers_.get();
  world_.root_seed = uint64_t(manifest.seed);
  world_.execution = execution_of(manifest.runtime.execution);
  world_.without = require_passes(manifest, *backend_);
  seeds_ = {world_.root_seed, options_.rank};
  world_.rank = options_.rank;
  world_.ranks = options_.world;
}

void Run::make_instances() {
  extend_with_all(context_);
  tower::register_torch_cxx(context_, *backend_);
  context_.provide(backend_.get());
  context_.provide(variables_.get());
  context_.provide(hypers_.get());
  context_.provide(&world_);
  context_.provide(&progress_);
  context_.provide(&progress_page_);
  context_.provide(&seeds_);
  context_.provide(checkpoints_.get());
  context_.provide(options_.group);
  if (options_.group) context_.provide(&asked_tables_);
  if (log_dir_) context_.provide(&*log_dir_);
  if (options_.ui) context_.provide(options_.ui);

  const manifest::Manifest& manifest = setup_.manifest();
  instances_ = std::make_unique<Instances>(
      context_, setup_.catalog(), setup_.kinds(),
      [this](const std::string& name) -> std::optional<double> {
        const broch_metric_point* point = trainer_ ? trainer_->monitors().latest(name) : nullptr;
        return point ? std::optional<double>(point->value) : std::nullopt;
      });
  std::vector<const Component*> order = setup_.components();
  if (!options_.all_callbacks)
    std::erase_if(order, [&](const Component* one) {
      return std::ranges::find(manifest.callbacks, one, [](auto& c) { return &c; }) !=
             manifest.callbacks.end();
    });
  instances_->announce(order);

  parts_.context = &context_;
  parts_.progress = &progress_;
  parts_.backend = backend_.get();
  parts_.variables = variables_.get();
  parts_.hypers = hypers_.get();
  parts_.world = &world_;
  parts_.interrupt = &interrupt_;
  parts_.group = options_.group;
  parts_.everyone = options_.everyone;
  parts_.deterministic = manifest.runtime.deterministic;
  parts_.clock = options_.clock;
  if (manifest.model) parts_.model = &instances_->make(*manifest.model);
  if (setup_.input() && !options_.serves()) parts_.input = &instances_->make(*setup_.input());
  parts_.trainer = &instances_->make(manifest.trainer);
  for (const Component& component : manifest.session_init)
    parts_.session_inits.push_back(&instances_->make(component));
  const MetricSources sources{manifest, setup_.catalog(), setup_.kinds()};
  const auto add_callbacks = [&](const std::vector<Component>& from,
                                 std::vector<train::CallbackPart>& to) {
    for (const Component& component : from) {
      abi::Instance& instance = instances_->make(component);
      to.push_back({&instance, !instances_->runs_everywhere(component)});
      if (options_.awaits_metrics && !component.is_reference())
        add_metric_words(component, instance, sources, parts_.metric_words);
    }
  };
  add_other_metric_words(sources, parts_.metric_words);
  if (!options_.serves()) {
    if (options_.all_callbacks) add_callbacks(manifest.callbacks, parts_.callbacks);
    add_callbacks(manifest.extra_callbacks, parts_.extra_callbacks);
    for (const Component& component : manifest.monitors)
      parts_.monitors.push_back(&instances_->make(component));
  }
  if (manifest.optimizer) parts_.optimizer = manifest::to_text(manifest.optimizer->entry);
  for (const Component& component : manifest.gradient_processors)
    parts_.processors.push_back(manifest::to_text(component.entry));
  parts_.make_instance = [this](const std::string& role, const std::string& entry,
                                const std::string& place) -> abi::Instance& {
    return instances_->make(role, entry, place);
  };
  parts_.predict_devices = predict_devices();
}

std::vector<runtime::Device> Run::predict_devices() const {
  const manifest::Manifest& manifest = setup_.manifest();
  std::vector<runtime::Device> devices;
  const uint32_t local_rank = options_.everyone ? options_.everyone->ranks().local_rank : 0;
  for (const std::string& text : manifest.predict_devices)
    devices.push_back(runtime::parse_device(text, local_rank));
  if (devices.empty())
    for (const int64_t tower : manifest.predict_tower) devices.push_back(device_of_tower(tower));
  if (devices.empty()) devices.emplace_back();
  return devices;
}

// The manifest as written, as resolved, and what it drew on; once it is known what training begins
// with. Resolved, it says what hyper-parameters really began with.
void Run::write_records() {
  manifest::Manifest manifest = setup_.manifest();
  for (const auto& [name, began] : changes_->began())
    for (const std::string& place : hyper_places_[name]) say_at(manifest.value, place, began);
  log_dir_->write("manifest.json", manifest.source->text);
  log_dir_->write("manifest.resolved.json", manifest.resolved_text());
  log_dir_->write("manifest.inputs.json", manifest::to_pretty_text(manifest.inputs()));
  write_plugins();
  record_.resumed_from = resume_from_;
  note_settings();
}

// What can be set while it trains, as it is now.
void Run::note_settings() {
  if (!log_dir_) return;
  record_.settings = changes_->settable();
  record_.not_as_in_manifest = changes_->not_as_written();
  write_record(*log_dir_, record_);
}

// Whose code ran; complete when plans are sealed, which may make instances.
void Run::write_plugins() const {
  manifest::Value::Array list;
  for (const plugins::Identity& identity : instances_->identities()) {
    manifest::Value entry{manifest::Value::Object{}};
    entry.set("id", manifest::Value(identity.id));
    entry.set("version", manifest::Value(identity.version));
    entry.set("file", manifest::Value(identity.file));
    entry.set("xxh128", manifest::Value(identity.xxh128));
    entry.set("build_id", manifest::Value(identity.build_id));
    list.push_back(std::move(entry));
  }
  log_dir_->write("plugins.json", manifest::to_pretty_text(manifest::Value(std::move(list))));
}

// Those of callbacks for rank 0 alone, and what is inside of them, exist on other ranks but do not
// run there.
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
  if (leaves_log_dir(exit)) write_end(exit);
  services_.reset();
  if (trace_) trace_->finish();
  if (log_dir_ && !leaves_log_dir(exit)) log_dir_->take_back();
}

bool Run::leaves_log_dir(base::Exit exit) const {
  return log_dir_ && (log_dir_->kept() || exit == base::Exit::ok || exit == base::Exit::saved);
}

void Run::write_end(base::Exit exit) {
  record_.ended = options_.clock->wall();
  record_.exit = int64_t(exit);
  try {
    write_record(*log_dir_, record_);
  } catch (const base::Error& error) {
    base::warning("how the run ended cannot be written down: " + std::string(error.what()));
  }
}

std::map<std::string, std::string> Run::fingerprint() const {
  const manifest::Manifest& manifest = setup_.manifest();
  const bool fast = world_.level == runtime::Level::fast;
  std::map<std::string, std::string> fingerprint = {
      {"run.runtime", backend_->version()},
      {"run.level", fast ? "fast" : "bitwise"},
      {"run.threads", std::to_string(manifest.runtime.threads.value_or(1))},
      {"run.seed", std::to_string(manifest.seed)},
      {"run.abi", std::to_string(BROCH_ABI_MAJOR) + "." + std::to_string(BROCH_ABI_MINOR)}};
  if (fast) {  // at level bitwise no pass decides a bit
    const std::vector<std::string> without(world_.without.begin(), world_.without.end());
    fingerprint["run.disabled_passes"] = without.empty() ? "none" : base::join(without, ", ");
  }
  return fingerprint;
}

// From the manifest, else the size of the input (not divided by the number of towers).
std::optional<int64_t> Run::count_steps() {
  const manifest::EpochLength& length = setup_.manifest().steps_per_epoch;
  if (length.steps) return length.steps;
  if (length.samples) {
    const std::optional<int64_t> batch = samples_of_point();
    const int64_t towers = std::max<int64_t>(
        1, trainer_->towers() ? int64_t(trainer_->towers()->training().size()) : 1);
    if (!batch || *batch == 0)
      throw base::Error(base::Exit::manifest,
                        base::Diagnostic{"/steps_per_epoch", "samples, but the batch is not known",
                                         "a model whose first input has a fixed first dimension",
                                         "give a number of steps"});
    return std::max<int64_t>(1, *length.samples / (*batch * towers * options_.world));
  }
  if (!trainer_->input()) return std::nullopt;
  const std::optional<int64_t> size = trainer_->input()->size();
  if (size && *size == 0)
    throw base::Error(base::Exit::data,
                      base::Diagnostic{abi::describe(trainer_->input()->instance()),
                                       "its size is 0: no data point in an epoch", "at least one",
                                       "use a smaller batch_size, more data, or set "
                                       "steps_per_epoch"});
  return size;
}

// Known before training only when the signature fixes it.
std::optional<int64_t> Run::samples_of_point() {
  if (!trainer_->towers() || trainer_->towers()->signature().empty()) return std::nullopt;
  const abi::InputSpec& first = trainer_->towers()->signature().front();
  if (first.shape.empty() || first.shape[0] < 0) return std::nullopt;
  return first.shape[0];
}

train::LoopConfig Run::loop_config() {
  const manifest::Manifest& manifest = setup_.manifest();
  const std::optional<int64_t> steps = count_steps();
  if (!steps)
    throw base::Error(
        base::Exit::manifest,
        base::Diagnostic{"/steps_per_epoch", "null, and the input does not know its size",
                         "a number of steps",
                         "set steps_per_epoch, for example steps_per_epoch=100"});
  log_batch(*steps);
  return {*steps, manifest.starting_epoch, manifest.max_epoch};
}

void Run::log_batch(int64_t steps) {
  const size_t towers = trainer_->towers() ? trainer_->towers()->training().size() : 0;
  if (towers == 0) return;
  const bool steps_are_runs = !trainer_->steps_by_plugin();
  std::string text = std::string("each ") + (steps_are_runs ? "step" : "run of the plan") +
                     " takes " + base::counted(int64_t(towers), "data point") +
                     (towers == 1 ? "" : ", one a tower");
  if (steps_are_runs) {
    text += ": " + base::counted(steps * int64_t(towers), "data point") + " an epoch";
    if (const std::optional<int64_t> batch = samples_of_point())
      text += ", " + base::counted(*batch * steps * int64_t(towers), "sample");
  }
  if (options_.world > 1) text += ", on each of " + std::to_string(options_.world) + " ranks";
  base::info(text);
}

base::Exit Run::train() {
  if (options_.serves()) {
    trainer_->serve();
    return base::Exit::ok;
  }
  train::MainLoop loop;
  loop.config = loop_config();
  if (options_.resume) {
    const Resumed resumed = checkpoints_->resume(resume_from_);
    base::info("resumed from " + resume_from_);
    loop.resume_at = resumed.position;
    loop.cursors = resumed.cursors;
    // A branch has what it begins with, for savers and for a second --resume.
    if (log_dir_ && !log_dir_->kept())
      store::adopt_checkpoint(resume_from_, log_dir(),
                              store::checkpoint_name(int64_t(hypers_->get("global_step"))));
  }
  // Ranks end after the same step: rank 0 saves for all.
  if (options_.writes && (log_dir_ || options_.group))
    loop.on_interrupt = [this] {
      if (log_dir_) base::info("saved to " + checkpoints_->save().string());
      return trainer_->resumes_exactly();
    };
  loop.begun = [this] {
    if (log_dir_) log_dir_->keep();
  };
  loop.at_end = [this] { checkpoints_->try_again(); };
  start_services();
  const std::unique_ptr<ControlServer> control = serve_control();
  if (log_dir_) write_records();
  if (control || options_.group)
    loop.take_control_requests = [&] { take_control_requests(control.get()); };
  try {
    const base::Exit exit = trainer_->main_loop(std::move(loop));
    const bool complete = is_complete();
    return exit == base::Exit::ok && !complete ? base::Exit::data : exit;
  } catch (...) {
    is_complete();
    throw;
  }
}

// Says which files that were wanted are not there.
bool Run::is_complete() const {
  const bool has_checkpoints = checkpoints_->complete();
  return (!log_dir_ || log_dir_->complete()) && has_checkpoints;
}

}  // namespace broch::session
