// recorder.cpp: a callback that follows a script and writes down what it sees, some that send what
// a monitor can show, one that feeds inputs, and a monitor that writes down what it hears.
#include <unistd.h>

#include <broch/broch.hpp>
#include <chrono>
#include <cmath>
#include <thread>

#include "trace.hpp"

namespace {

using broch::test::text_of;
using broch::test::Trace;

// At each event: takes 20 ms over the slow one, puts scalars, stops, then writes "event
// epoch,local,global" and, behind that, the hyper-parameter it watches.
class Recorder final : public broch::Callback {
 public:
  explicit Recorder(const broch::Host& host)
      : host_(host), run_(host), trace_(broch::Config(host)) {
    const broch::Config config(host);
    if (config.has("/watch")) watch_ = config.string("/watch");
    events_ = config.strings("/events");
    slow_event_ = config.string("/slow_event");
    fetch_names_ = config.strings("/fetch");
    for (uint64_t i = 0, n = config.size("/put"); i < n; ++i) {
      const std::string at = "/put/" + std::to_string(i);
      puts_.push_back({config.string(at + "/event"), config.string(at + "/name"),
                       broch::ChildFunction(host, at + "/value")});
    }
  }

  void setup_graph() override {
    metrics_.emplace(host_);
    for (const std::string& name : fetch_names_) fetches_.push_back(run_.fetch(name));
    at("setup_graph");
  }
  void before_train() override { at("before_train"); }
  void after_train() override { at("after_train"); }
  void before_epoch() override { at("before_epoch"); }
  void after_epoch() override { at("after_epoch"); }
  uint64_t before_run(broch_run, uint64_t fetches) override { return at("before_run"), fetches; }
  void after_run(broch_run run) override {
    for (size_t i = 0; i < fetches_.size(); ++i)
      trace_.write(fetch_names_[i] + " " + text_of(*run_.scalar(run, fetches_[i])));
    at("after_run");
  }
  void trigger_step() override { at("trigger_step"); }
  void trigger_epoch() override { at("trigger_epoch"), trigger(); }
  void trigger() override { at("trigger"); }

 private:
  struct Put {
    std::string event, name;
    broch::ChildFunction value;
  };

  void at(const std::string& event) {
    if (event == slow_event_) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (const Put& put : puts_)
      if (put.event == event) carry_out(put);
    for (const std::string& wanted : events_)
      if (wanted == event) trace_.write(event + " " + place() + watched());
  }
  void carry_out(const Put& put) {
    if (const auto value = put.value.call(run_.progress(), NAN))
      metrics_->put_scalar(put.name, *value);
  }
  std::string place() const {
    const broch_progress& now = run_.progress();
    return std::to_string(now.epoch_num) + "," + std::to_string(now.local_step) + "," +
           std::to_string(now.global_step);
  }
  std::string watched() const {
    if (watch_.empty()) return "";
    return std::string(1, ' ') + text_of(broch::HyperParam(host_).get(watch_));
  }

  broch::Host host_;
  broch::Run run_;
  Trace trace_;
  std::optional<broch::Metrics> metrics_;
  std::string watch_, slow_event_;
  std::vector<std::string> events_, fetch_names_;
  std::vector<uint32_t> fetches_;
  std::vector<Put> puts_;
};

// Sends a summary with tags that need cleaning.
class Summarizer final : public broch::Callback {
 public:
  explicit Summarizer(const broch::Host& host) : host_(host) {}
  void trigger() override {
    broch::Metrics(host_).put_summary(
        {{"tower0/x-summary", BROCH_SUMMARY_SCALAR, 0, 1.0, nullptr, nullptr, 0},
         {"EMA/tower12/y", BROCH_SUMMARY_SCALAR, 0, 2.0, nullptr, nullptr, 0}});
  }

 private:
  broch::Host host_;
};

// On each trigger sends an event, a text, a sound, and three pictures of one height and width.
class Presenter final : public broch::Callback {
 public:
  explicit Presenter(const broch::Host& host) : run_(host), metrics_(host) {}
  void trigger() override {
    const std::string epoch = std::to_string(run_.progress().epoch_num);
    metrics_.put_event("org.example.news", "epoch " + epoch);
    const std::string text = "**epoch** " + epoch;
    float sound[] = {0, 1, 0.5F, -1, 2, -0.25F};
    int64_t frames[] = {3, 2};
    const broch_dl_tensor tensor = broch::dl_view(sound, {BROCH_DL_FLOAT, 32, 1}, frames, 2);
    metrics_.put_summary({{"words", BROCH_SUMMARY_TEXT, 0, 0, nullptr, text.data(), text.size()},
                          {"tone-summary", BROCH_SUMMARY_AUDIO, 0, 8000, &tensor, nullptr, 0}});
    uint8_t pixels[] = {1, 2, 3, 4, 5, 6};
    int64_t shape[] = {3, 1, 2, 1};
    metrics_.put_image("dots", broch::dl_view(pixels, {BROCH_DL_UINT, 8, 1}, shape, 4));
  }

 private:
  broch::Run run_;
  broch::Metrics metrics_;
};

// Feeds inputs with one number each: that of the step, from 1 on.
class Feeder final : public broch::Callback {
 public:
  explicit Feeder(const broch::Host& host)
      : run_(host), data_(host), names_(broch::Config(host).strings("/names")) {}
  void setup_graph() override {
    for (const std::string& name : names_) ids_.push_back(run_.feed(name));
  }
  uint64_t before_run(broch_run run, uint64_t fetches) override {
    float number = float(run_.progress().global_step + 1);
    int64_t shape[1] = {1};
    for (const uint32_t id : ids_)
      run_.set_feed(run, id,
                    data_.from_data(broch::dl_view(&number, {BROCH_DL_FLOAT, 32, 1}, shape, 1)));
    return fetches;
  }

 private:
  broch::Run run_;
  broch::TensorData data_;
  std::vector<std::string> names_;
  std::vector<uint32_t> ids_;
};

// At every moment of its life asks for a checkpoint and for its values back; writes down whether it
// got them.
class Keeper final : public broch::Callback {
 public:
  explicit Keeper(const broch::Host& host) : trace_(broch::Config(host)), checkpoints_(host) {
    ask("create");
  }
  ~Keeper() override { ask("destroy"); }
  void setup_graph() override { ask("setup_graph"); }
  void before_train() override { ask("before_train"); }
  uint64_t before_run(broch_run, uint64_t fetches) override { return ask("before_run"), fetches; }
  void after_run(broch_run) override { ask("after_run"); }
  void trigger_step() override { ask("trigger_step"); }
  void trigger() override { ask("trigger"); }
  void after_train() override { ask("after_train"); }

 private:
  void ask(const std::string& event) const {
    std::string path = "none";
    const std::string saved = word([&] { path = checkpoints_.save().value_or("none"); });
    const std::string restored = word([&] { checkpoints_.restore(path); });
    trace_.write(event + " " + saved + " " + restored);
  }
  template <class Body>
  static std::string word(Body&& body) {
    try {
      body();
      return "ok";
    } catch (const broch::Error& error) {
      return error.status() == BROCH_E_FAILED_PRECONDITION ? "refused" : error.what();
    }
  }

  Trace trace_;
  broch::Checkpoints checkpoints_;
};

// Leaves another working directory behind.
class Wanderer final : public broch::Callback {
 public:
  explicit Wanderer(const broch::Host&) {
    if (chdir("/") != 0) throw broch::Error(BROCH_E_INTERNAL, "there is no way");
  }
};

class Listener final : public broch::Monitor {
 public:
  explicit Listener(const broch::Host& host) : trace_(broch::Config(host)) {
    label_ = broch::Config(host).string("/label");
  }
  void process_scalar(const std::string& name, double value) override {
    trace_.write(label_ + ".scalar " + name + " " + text_of(value));
  }
  void process_summary(const broch_summary_value* values, uint32_t n) override {
    std::string line = label_ + ".summary";
    for (uint32_t i = 0; i < n; ++i)
      line.append(" ").append(values[i].tag).append(pixels_of(values[i]));
    trace_.write(line);
  }

 private:
  // Of an image: "(height,width,channels:first pixels…)".
  static std::string pixels_of(const broch_summary_value& value) {
    if (value.kind != BROCH_SUMMARY_IMAGE) return "";
    const int64_t* shape = value.tensor->shape;
    std::string text = "(";
    for (int i = 0; i < 3; ++i) text.append(i ? "," : "").append(std::to_string(shape[i]));
    const auto* pixels = static_cast<const uint8_t*>(value.tensor->data);
    for (int64_t i = 0; i < shape[0] * shape[1] * shape[2]; ++i)
      text.append(i ? " " : ":").append(std::to_string(pixels[i]));
    return text + ")";
  }

  Trace trace_;
  std::string label_;
};

constexpr broch_component kComponents[] = {
    broch::component<Recorder>("test.recorder", "callback"),
    broch::component<Recorder>("test.promiser", "callback"),
    broch::component<Summarizer>("test.summarizer", "callback"),
    broch::component<Presenter>("test.presenter", "callback"),
    broch::component<Feeder>("test.feeder", "callback"),
    broch::component<Keeper>("test.keeper", "callback"),
    broch::component<Wanderer>("test.wanderer", "callback"),
    broch::component<Listener>("test.listener", "monitor")};

}  // namespace

// clang-format off
#define NO_OPTIONS R"({"type": "object", "properties": {}, "additionalProperties": false})"
#define RECORDER_OPTIONS \
  R"({"type": "object", "properties": {)" \
  R"("trace": {"type": ["string", "null"], "default": null},)" \
  R"("events": {"type": "array", "items": {"type": "string"}, "default": []},)" \
  R"("slow_event": {"type": "string", "default": ""},)" \
  R"("watch": {"type": ["string", "null"], "default": null},)" \
  R"("fetch": {"type": "array", "items": {"type": "string"}, "default": []},)" \
  R"("prefix": {"type": "string", "default": ""},)" \
  R"("promises": {"type": "array", "items": {"type": "string"}, "default": []},)" \
  R"("put": {"type": "array", "default": [], "items": {)" \
  R"("type": "object", "properties": {"event": {"type": "string"}, "name": {"type": "string"},)" \
  R"("value": {"x-broch-function": true}},)" \
  R"("required": ["event", "name", "value"], "additionalProperties": false}}},)" \
  R"("additionalProperties": false})"

BROCH_PLUGIN(kComponents, "{\"components\": ["
    BROCH_META("test.summarizer", "callback", "1.0.0", "Sends a summary.", NO_OPTIONS) ", "
    BROCH_META("test.presenter", "callback", "1.0.0", "Sends what can be shown.", NO_OPTIONS) ", "
    BROCH_META("test.wanderer", "callback", "1.0.0", "Changes the working directory.", NO_OPTIONS) ", "
    BROCH_META("test.keeper", "callback", "1.0.0", "Asks for checkpoints.", R"({
      "type": "object",
      "properties": {"trace": {"type": "string"}},
      "required": ["trace"],
      "additionalProperties": false
    })") ", "
    BROCH_META("test.feeder", "callback", "1.0.0", "Feeds inputs.", R"({
      "type": "object",
      "properties": {"names": {"type": "array", "items": {"type": "string"}}},
      "required": ["names"],
      "additionalProperties": false
    })") ", "
    BROCH_META("test.recorder", "callback", "1.0.0", "Records.", RECORDER_OPTIONS) ", "
    BROCH_META("test.promiser", "callback", "1.0.0", "Records, and says what it puts.",
               RECORDER_OPTIONS R"(, "produces": ["{prefix?_}{promises}"])") ", "
    BROCH_META("test.listener", "monitor", "1.0.0", "Writes down what it hears.", R"({
      "type": "object",
      "properties": {"trace": {"type": "string"}, "label": {"type": "string"}},
      "required": ["trace", "label"],
      "additionalProperties": false
    })") "]}")
// clang-format on
