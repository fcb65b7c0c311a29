// drive.cpp: runs a component within a manifest made for it, or calls its functions directly.
#include "drive.hpp"

#include <algorithm>
#include <limits>
#include <sstream>

#include "abi/roles.hpp"
#include "applied.hpp"
#include "base/checksum.hpp"
#include "base/error.hpp"
#include "made_data.hpp"
#include "made_options.hpp"
#include "made_points.hpp"
#include "manifest/defaults.hpp"
#include "runtime/cancel.hpp"
#include "runtime/dlpack.hpp"
#include "sink_work.hpp"
#include "value/json.hpp"
#include "verdict.hpp"

namespace broch::check {
namespace {

using manifest::default_entry;
using manifest::Value;

constexpr int kPoints = 20;
constexpr size_t kHashed = size_t{1} << 28;  // larger tensors are described by their shape

Value list_of(std::vector<Value> elements) { return Value(Value::Array(std::move(elements))); }

// A model with one parameter that publishes one number, and a callback that sets a metric.
Value plain_manifest() {
  Value manifest = manifest::parse_text("drive", R"({
    "broch": 1, "steps_per_epoch": 3, "max_epoch": 2,
    "log_dir": "run", "log_dir_action": "delete"})");
  manifest.set("model", default_entry("/check/model"));
  manifest.set("data", default_entry("/check/input_source"));
  manifest.set("callbacks", list_of({default_entry("/check/metric")}));
  manifest.set("monitors", list_of({default_entry("/check/monitor")}));
  return manifest;
}

Value evaluation_of(const Value& inferencer) {
  return default_entry("/check/evaluation", {{"inferencers", list_of({inferencer})}});
}

// Sets data that fits the inputs of the model and, if the model has no optimizer, an optimizer.
void add_what_it_lacks(Subject& subject, const Value& options, Value& manifest) {
  World world(subject);
  const auto made = world.make(entry_of(subject, options));
  abi::Model model = abi::Model::make(*made->instance);
  const MadeData data = data_for(model);
  manifest.remove("data");
  manifest.set(data.key, data.entry);
  if (model.optimizer().empty()) manifest.set("optimizer", default_entry("/check/optimizer"));
}

// Makes calls to a monitor that do not occur in a short run.
void show_oddities(abi::Instance& instance) {
  abi::Monitor monitor = abi::Monitor::make(instance);
  monitor.process_scalar("odd/\"name\"", std::numeric_limits<double>::quiet_NaN());
  unsigned char pixels[2 * 3 * 3] = {};
  int64_t shape[] = {1, 2, 3, 3};
  const broch_dl_tensor image = {pixels, {BROCH_DL_CPU, 0}, 4, {BROCH_DL_UINT, 8, 1},
                                 shape,  nullptr,           0};
  monitor.process_image("image", image);
  broch_summary_value unknown{};
  unknown.tag = "of-a-kind-to-come";
  unknown.kind = 1000;
  monitor.process_summary({&unknown, 1});
  monitor.process_event("org.example.event", "text", 4);
}

abi::Instance* find(const session::Instances& instances, const std::string& id) {
  for (abi::Instance* instance : instances.all())
    if (instance->component_id() == id) return instance;
  return nullptr;
}

void load(abi::Instance& instance, const How& how) {
  if (!how.load) return;
  abi::State::make(instance).load(how.load->version, how.load->bytes);
}

void save(abi::Instance& instance, Outcome& outcome) {
  if (!abi::State::plays(instance)) return;
  abi::State state = abi::State::make(instance);
  outcome.state = {state.version(), state.save()};
}

// A dataflow, a transform, a function or a sink. Each call of answer() returns one result as text.
class Worker {
 public:
  Worker(Subject& subject, abi::Instance& instance, const std::optional<MadePoint>& for_sink) {
    if (instance.spec().role == "dataflow") {
      source_ = abi::DataFlow::make(instance);
      int64_t size = 0;
      if (!abi::Indexed::plays(instance)) source_->size(&size);
      source_->reset_state();
      source_->size(&size);
    } else if (instance.spec().role == "transform") {
      transform_ = abi::Transform::make(instance);
      points_ = usual_points();
    } else if (instance.spec().role == "sink") {
      sink_.emplace(subject, instance);
      points_ = {for_sink.value()};
    } else {
      function_ = abi::Function::make(instance);
    }
  }

  void start() {
    if (source_) source_->open(nullptr, 0);
    step_ = 0;
  }

  // "" if there are no more.
  std::string answer() {
    if (transform_) return apply_to_next();
    if (sink_) return put_next();
    if (!source_) return call();
    runtime::Point point;
    const runtime::LentPoint lent(point);
    return source_->next(cancel_.c(), lent.handle()) == BROCH_OK ? words_of(point) : "";
  }

  // Why a transform has refused all points so far; "": it has not.
  std::string refusal() const { return transform_ && accepted_ == 0 ? refusal_ : ""; }

 private:
  std::string apply_to_next() {
    const Applied applied =
        apply(*transform_, points_[size_t(step_) % points_.size()], uint64_t(step_) + 1);
    ++step_;
    if (applied.refused) refusal_ = applied.words;
    accepted_ += !applied.refused;
    return applied.refused ? "refused" : applied.words;
  }

  // An instance writes one file. "": it is complete.
  std::string put_next() {
    if (put_ > kPointsOfFile) return "";
    if (put_ == 0) sink_->open();
    if (put_++ < kPointsOfFile) return sink_->put(points_.front()), "put";
    sink_->close();
    std::string files = "files";
    for (const auto& [name, size] : sink_->files())
      files += " " + name + " " + std::to_string(size);
    return files;
  }

  std::string call() {
    const broch_function_args args = {sizeof args, 0,     1 + step_ / 5,
                                      step_ % 5,   step_, step_ == 0 ? 0.0 / 0.0 : 1.0};
    ++step_;
    double result = 0;
    const broch_status status = function_->call(args, &result);
    return status == BROCH_STOP ? "" : std::to_string(status) + " " + std::to_string(result);
  }

  std::optional<abi::DataFlow> source_;
  std::optional<abi::Transform> transform_;
  std::optional<abi::Function> function_;
  std::optional<SinkWork> sink_;
  uint64_t put_ = 0;               // points of the sink, and 1 for close
  std::vector<MadePoint> points_;  // for the transform or the sink
  std::string refusal_;
  size_t accepted_ = 0;
  runtime::Cancel cancel_;
  int64_t step_ = 0;
};

// The results of two rounds. The calls alternate with calls of another worker, whose results are
// ignored.
std::vector<std::string> answers_of(Worker& worker, Worker* other) {
  std::vector<std::string> answers;
  for (int round = 0; round < 2; ++round) {
    worker.start();
    if (other) other->start();
    for (int i = 0; i < kPoints; ++i) {
      if (other) other->answer();
      answers.push_back(worker.answer());
      if (answers.back().empty()) break;
    }
  }
  if (!worker.refusal().empty()) throw base::Error(base::Exit::training, worker.refusal());
  return answers;
}

bool is_alone(const std::string& role) {
  return role == "dataflow" || role == "transform" || role == "function" || role == "sink";
}

}  // namespace

std::string words_of(const runtime::Point& point) {
  std::ostringstream words;
  for (size_t i = 0; i < point.size(); ++i) {
    const broch_dl_tensor& tensor = point.tensor(i);
    const char* const name = point.name(i);
    words << (name ? name : "-") << " " << int(tensor.dtype.code) << "." << int(tensor.dtype.bits);
    for (int32_t k = 0; k < tensor.ndim; ++k) words << " " << tensor.shape[k];
    if (runtime::dl_bytes(tensor) > kHashed) {
      words << " large; ";
      continue;
    }
    std::string bytes(runtime::dl_bytes(tensor), '\0');
    runtime::dl_copy(tensor, bytes.data());
    words << " " << base::xxh128(bytes.data(), bytes.size()) << "; ";
  }
  if (point.key) words << "key " << point.key << "; ";
  words << (point.has_cursor ? "cursor '" + point.cursor + "'" : "no cursor");
  return words.str();
}

Drive::Drive(Subject& subject, Value options)
    : subject_(subject), options_(std::move(options)), role_(subject.component().role) {
  subject.library();
  if (role_ == "sink") point_ = point_for(subject_, options_);
}

Value Drive::entry() const {
  Value entry{Value::Object{}};
  entry.set("use", Value(subject_.id()));
  entry.set("with", options_);
  return entry;
}

// Reads the manifest, finds plugins and checks options only once.
const session::Setup& Drive::setup(bool twice) {
  std::optional<session::Setup>& setup = setups_[twice];
  if (setup) return *setup;
  Value manifest = plain_manifest();
  manifest.set("plugins", list_of({Value(subject_.options().file)}));
  if (role_ == "callback") {
    std::vector<Value> callbacks(twice ? 2 : 1, entry());
    callbacks.push_back(default_entry("/check/metric"));
    manifest.set("callbacks", list_of(std::move(callbacks)));
  }
  // The metrics must be the same in each run, because the state of a monitor may depend on them.
  if (role_ == "monitor") {
    manifest.set("callbacks", list_of({evaluation_of(default_entry("/check/inferencer"))}));
    manifest.set("monitors", list_of({entry(), default_entry("/check/monitor")}));
  }
  if (role_ == "session_init") manifest.set("session_init", list_of({entry()}));
  if (role_ == "trainer") {  // the default input source around a dataflow fits the trainer
    manifest.set("trainer", entry());
    manifest.remove("data");
    manifest.set("callbacks", list_of({}));
    manifest.set("dataflow", default_entry("/check/dataflow"));
  }
  if (role_ == "input_source") manifest.set("data", entry());
  if (role_ == "optimizer") manifest.set("optimizer", entry());
  if (role_ == "gradient_processor") manifest.set("gradient_processors", list_of({entry()}));
  if (role_ == "inferencer") manifest.set("callbacks", list_of({evaluation_of(entry())}));
  if (role_ == "model") {
    manifest.set("model", entry());
    manifest.set("callbacks", list_of({}));
    add_what_it_lacks(subject_, options_, manifest);
  }
  session::SetupOptions options;
  options.source = std::make_shared<const manifest::Source>(
      manifest::Source{"drive", manifest::working_directory(), manifest::to_text(manifest)});
  options.catalog = subject_.catalog();
  return setup.emplace(options);
}

Outcome Drive::run(const How& how) {
  Outcome outcome;
  try {
    is_alone(role_) ? run_alone(how, outcome) : run_in_training(how, outcome);
  } catch (const base::Error& error) {
    outcome.refusal = error.what();
  }
  return outcome;
}

void Drive::run_in_training(const How& how, Outcome& outcome) {
  std::optional<World> world;
  std::unique_ptr<Made> another;
  session::RunOptions options;
  options.backend = subject_.backend();
  options.null_runtime = !options.backend;
  options.awaits_metrics = false;  // nothing in this manifest may set them
  session::Run run(setup(how.twice), options);
  run.build();
  abi::Instance* const instance = find(run.instances(), subject_.id());
  if (!instance) throw Skipped("a run has no place for role " + role_);
  if (how.with_another) {
    world.emplace(subject_);
    another = world->make(entry_of(subject_, options_));
    world->make(entry_of(subject_, options_)).reset();
  }
  if (how.in_inference) run.trainer().predictors()->tower("", 0);
  load(*instance, how);
  if (how.meanwhile) how.meanwhile(*instance);
  if (how.to_the_end) run.train();
  if (how.to_the_end && role_ == "monitor") show_oddities(*instance);
  save(*instance, outcome);
  if (run.abandoned())
    fail_and_leave("did not return from stop, from next or from a queued call when it was ended");
}

void Drive::run_alone(const How& how, Outcome& outcome) {
  World world(subject_);
  const auto made = world.make(entry_of(subject_, options_));
  std::unique_ptr<Made> another;
  if (how.with_another) {
    another = world.make(entry_of(subject_, options_));
    world.make(entry_of(subject_, options_)).reset();
  }
  load(*made->instance, how);
  if (how.meanwhile) how.meanwhile(*made->instance);
  if (how.to_the_end) {
    Worker worker(subject_, *made->instance, point_);
    std::optional<Worker> other;
    if (another) other.emplace(subject_, *another->instance, point_);
    outcome.answers = answers_of(worker, other ? &*other : nullptr);
  }
  save(*made->instance, outcome);
}

Outcome drive_once(Subject& subject, const How& how) {
  Drive drive(subject, usual_options(subject));
  Outcome outcome = drive.run(how);
  if (!outcome.refusal.empty()) throw Skipped("refuses: " + outcome.refusal);
  return outcome;
}

}  // namespace broch::check
