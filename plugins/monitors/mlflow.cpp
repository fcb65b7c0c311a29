// mlflow.cpp: the run, its manifest and its metrics for MLflow, as files or to a tracking server.
//
// The id of the run is kept in the log folder, so that a resumed run goes on in it, and a branch,
// which has a log folder of its own, does not. The state says how many values of each metric belong
// to a checkpoint, where files are cut, and which metric has which name.
#include <algorithm>
#include <broch/broch.hpp>
#include <chrono>
#include <memory>
#include <set>

#include "../options/saved_state.hpp"
#include "mlflow/description.hpp"
#include "mlflow/file_store.hpp"
#include "mlflow/rest_store.hpp"
#include "sending/background.hpp"
#include "sending/http.hpp"

namespace {

using broch::mlflow::clean_key;
using broch::mlflow::Metric;
using broch::mlflow::milliseconds_now;
using broch::mlflow::RunId;
using broch::mlflow::Status;
using broch::monitors::ManifestValues;
using Clock = std::chrono::steady_clock;
using Json = ManifestValues::Json;

constexpr const char* kIdFile = "mlflow.json";  // in the log folder
constexpr size_t kMostTogether = 1000;          // values; no more fit into one request

struct Options {
  std::string folder, experiment;
  std::optional<std::string> server, run;
  std::optional<std::vector<std::string>> params;
  std::optional<broch::JsonText> tags;
  double seconds, timeout, end_seconds;

  static constexpr auto schema = broch::options(
      broch::option("folder", &Options::folder, "The folder of runs, unless there is a server.")
          .is_path()
          .by_default("mlruns"),
      broch::option("server", &Options::server,
                    "Address of a tracking server, such as http://localhost:5000; null: files. The "
                    "environment may have MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and "
                    "MLFLOW_TRACKING_PASSWORD.")
          .pattern("^https?://"),
      broch::option("experiment", &Options::experiment,
                    "Name of the experiment; it is made if it does not exist.")
          .min_length(1)
          .by_default("Default"),
      broch::option("run", &Options::run, "Name of the run; null: that of the log folder."),
      broch::option("params", &Options::params,
                    "Places in the manifest that become parameters, written as in overrides: "
                    "optimizer.with.learning_rate. null: all values of the manifest."),
      broch::option("tags", &Options::tags, "Tags of the run, an object of texts; null: none.")
          .schema(R"("type": ["object", "null"], "additionalProperties": {"type": "string"})"),
      broch::option("seconds", &Options::seconds,
                    "Metrics are passed on at the end of each epoch, and within it at most this "
                    "often; to a server that is slower than epochs, those of several together.")
          .minimum(0)
          .by_default(10)
          .unit("seconds"),
      broch::option("timeout", &Options::timeout, "After this time, a request is given up.")
          .above(0)
          .by_default(30)
          .unit("seconds"),
      broch::option("end_seconds", &Options::end_seconds,
                    "The server gets so much time at the end of the training for what waits. The "
                    "rest is dropped, and the log says how many values that were.")
          .minimum(0)
          .by_default(10)
          .unit("seconds"));
};

class Mlflow final : public broch::Monitor, public broch::Callback, public broch::Stateful {
 public:
  static constexpr uint32_t kStateVersion = 2;
  // For the files. What goes to a server has a thread of its own behind that, because a checkpoint
  // waits for this queue, and should not wait for a server.
  static constexpr bool kQueued = true;

  Mlflow(const broch::Host& host, Options options)
      : host_(host), run_(host), log_dir_(host), options_(std::move(options)) {
    enabled_ = log_dir_.path().has_value();
    if (options_.server)
      store_ = std::make_unique<broch::mlflow::RestStore>(*options_.server, [this] {
        return std::min(options_.timeout, background_.seconds_left());
      });
    else
      store_ = std::make_unique<broch::mlflow::FileStore>(options_.folder);
  }

  void before_train() override {
    if (!enabled_) return;
    if (options_.server) broch::sending::require_curl();
    // A checkpoint without a state does not say which values belong to it.
    if (!is_restored_ || !continues()) begin();
    if (options_.server) background_.start();
    begun_ = true;
    passed_on_ = Clock::now();
  }
  void process_scalar(const std::string& name, double value) override {
    if (!enabled_) return;
    const std::string key = clean_key(name);
    if (!is_only_one(key, name)) return;
    waiting_.push_back({key, value, milliseconds_now(), run_.progress().global_step});
  }
  void process_event(const std::string& kind, const std::string& data) override {
    if (kind == BROCH_EVENT_TRAINING_ENDED) ending_ = Json::parse(data, nullptr, false);
  }
  void trigger_step() override {
    if (Clock::now() - passed_on_ >= std::chrono::duration<double>(options_.seconds)) pass_on();
  }
  // Where epochs are shorter than requests, a request gets the values of several.
  void trigger_epoch() override {
    if (!background_.has_waiting() || waiting_.size() >= kMostTogether) pass_on();
    const broch::sending::Lost lost = take_lost();
    if (lost.failures + lost.dropped > 0) throw broch::Error(BROCH_E_UNAVAILABLE, in_words(lost));
  }
  void after_train() override {
    if (!begun_) return;
    pass_on();
    end();
    const std::chrono::duration<double> limit(options_.end_seconds);
    background_.finish(std::chrono::duration_cast<Clock::duration>(limit));
    take_lost();
    if (lost_.failures + lost_.dropped > 0)
      host_.error("MLflow misses a part of this training: " + in_words(lost_));
  }

  // What cannot be written now does not cost the checkpoint.
  std::string save_state() override {
    try {
      pass_on();
      store_->sync(id_);
    } catch (const broch::Error& error) {
      host_.error(error.what());
    }
    return Json::object({{"counts", counts_}, {"names", names_}}).dump();
  }
  // Version 1 is the counts alone.
  void load_state(uint32_t version, const std::string& bytes) override {
    const Json state = Json::parse(bytes, nullptr, false);
    const Json counts = version == 1 ? state : member(state, "counts");
    const Json names = version == 1 ? Json::object() : member(state, "names");
    if (!is_object_of(counts, &Json::is_number_integer) || !is_object_of(names, &Json::is_string))
      broch::saved::refuse(broch::saved::quoted(bytes),
                           "a JSON object with the number of values of each metric, and its name");
    counts_ = counts.get<std::map<std::string, int64_t>>();
    names_ = names.get<std::map<std::string, std::string>>();
    is_restored_ = true;
  }

 private:
  static Json member(const Json& state, const std::string& key) {
    return state.is_object() ? state.value(key, Json()) : Json();
  }
  static bool is_object_of(const Json& object, bool (Json::*is_kind)() const noexcept) {
    return object.is_object() && std::all_of(object.begin(), object.end(),
                                             [&](const Json& value) { return (value.*is_kind)(); });
  }
  // Whether no other metric has this key, or the file of it.
  bool is_only_one(const std::string& key, const std::string& name) {
    using broch::mlflow::FileStore;
    const auto [one, is_new] =
        names_.try_emplace(options_.server ? key : FileStore::file_of(key), name);
    if (one->second == name) return true;
    if (left_out_.insert(name).second)
      host_.warning("the metric " + name + " is left out of MLflow, where it would have the name " +
                    one->first + ", as " + one->second + " has; rename one of them");
    return false;
  }
  void begin() {
    broch::mlflow::NewRun run;
    run.experiment = options_.experiment;
    run.name = options_.run.value_or(
        std::filesystem::path(*log_dir_.path()).lexically_normal().filename());
    run.user = broch::mlflow::user_name();
    run.start = milliseconds_now();
    run.params = broch::mlflow::params_of(log_dir_, options_.params);
    run.tags = {{"mlflow.runName", run.name},
                {"mlflow.user", run.user},
                {"mlflow.source.name", *log_dir_.path()},
                {"mlflow.source.type", "LOCAL"}};
    const Json tags = Json::parse(options_.tags ? options_.tags->text : "{}");
    for (const auto& [key, value] : tags.items())
      run.tags.emplace_back(clean_key(key), value.get<std::string>());
    id_ = store_->begin(run);
    log_dir_.write_file(
        kIdFile, Json::object({{"experiment_id", id_.experiment}, {"run_id", id_.run}}).dump());
    counts_.clear();
  }
  // Whether the log folder names a run that can go on.
  bool continues() {
    const Json known = Json::parse(log_dir_.read_file(kIdFile).value_or(""), nullptr, false);
    if (!known.is_object() || !known.contains("run_id") || !known.contains("experiment_id"))
      return false;
    id_ = {known["experiment_id"], known["run_id"]};
    if (const auto* const files = dynamic_cast<broch::mlflow::FileStore*>(store_.get())) {
      if (!files->has(id_)) return false;
      counts_ = files->cut(id_, counts_);
    }
    store_->set_status(id_, Status::running, 0);
    return true;
  }
  // values: of metrics, in this work.
  void carry_out(std::function<void()> work, size_t values) {
    if (options_.server)
      background_.post(std::move(work), values);
    else
      work();
  }
  void pass_on() {
    passed_on_ = Clock::now();
    if (!begun_ || waiting_.empty()) return;
    const size_t values = waiting_.size();
    for (const Metric& metric : waiting_) ++counts_[metric.key];
    carry_out([this, metrics = std::exchange(waiting_, {})] { store_->log(id_, metrics); }, values);
  }
  // A run that was interrupted can be resumed; MLflow calls it killed until then.
  void end() {
    const std::string outcome = ending_.is_object() ? ending_.value("outcome", "") : "";
    const Status status = outcome == "failed"        ? Status::failed
                          : outcome == "interrupted" ? Status::killed
                                                     : Status::finished;
    carry_out([this, status, now = milliseconds_now()] { store_->set_status(id_, status, now); },
              0);
  }
  broch::sending::Lost take_lost() {
    const broch::sending::Lost lost = background_.take_lost();
    lost_ += lost;
    return lost;
  }
  static std::string in_words(const broch::sending::Lost& lost) {
    std::string words = std::to_string(lost.values) +
                        " values were lost (failed requests: " + std::to_string(lost.failures) +
                        ", dropped: " + std::to_string(lost.dropped) + ")";
    if (lost.failures > 0) words += "; the first failure: " + lost.first_failure;
    return words;
  }

  broch::Host host_;
  broch::Run run_;
  broch::LogDir log_dir_;
  Options options_;
  bool enabled_ = false;  // whether this process has a log folder
  bool begun_ = false;
  bool is_restored_ = false;
  std::unique_ptr<broch::mlflow::Store> store_;
  RunId id_;
  std::vector<Metric> waiting_;
  std::map<std::string, int64_t> counts_;     // values of each metric that were passed on
  std::map<std::string, std::string> names_;  // the metric of each name in MLflow
  std::set<std::string> left_out_;            // metrics that would have the name of another one
  Clock::time_point passed_on_{};
  Json ending_;
  broch::sending::Lost lost_;  // in all of the training
  broch::sending::Background background_;
};

}  // namespace

BROCH_MONITOR(Mlflow, "broch.monitor.mlflow", "1.0.0",
              "Passes the run, its manifest and its metrics on to MLflow.", Options::schema)
