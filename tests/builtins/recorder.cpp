// recorder.cpp: components for tests of the built-in ones: a callback that follows a script and
// writes down what it sees, a dataflow of given rows, a model of one number, a monitor.
#include <broch/layers.hpp>
#include <cmath>
#include <cstdio>
#include <fstream>

namespace {

std::string text_of(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

// Appends lines to a file, which tests read afterwards.
class Trace {
 public:
  explicit Trace(const broch::Config& config)
      : path_(config.has("/trace") ? config.string("/trace") : "") {}
  void write(const std::string& line) const {
    if (!path_.empty()) std::ofstream(path_, std::ios::app) << line << '\n';
  }

 private:
  std::string path_;
};

// At each event: puts scalars, stops, then writes "event epoch,local,global" and, behind that, the
// hyper-parameter it watches.
class Recorder final : public broch::Callback {
 public:
  explicit Recorder(const broch::Host& host)
      : host_(host), run_(host), trace_(broch::Config(host)) {
    const broch::Config config(host);
    if (config.has("/watch")) watch_ = config.string("/watch");
    events_ = config.strings("/events");
    fetch_names_ = config.strings("/fetch");
    for (uint64_t i = 0, n = config.size("/put"); i < n; ++i) {
      const std::string at = "/put/" + std::to_string(i);
      puts_.push_back({config.string(at + "/event"), config.string(at + "/name"),
                       broch::child<broch_function>(host, at + "/value", BROCH_ROLE_FUNCTION)});
    }
  }

  void setup_graph() override {
    metrics_.emplace(host_);
    for (const std::string& name : fetch_names_) fetches_.push_back(run_.fetch(name));
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
    broch::Child<broch_function> value;
  };

  void at(const std::string& event) {
    for (const Put& put : puts_)
      if (put.event == event) carry_out(put);
    for (const std::string& wanted : events_)
      if (wanted == event) trace_.write(event + " " + place() + watched());
  }
  void carry_out(const Put& put) {
    const broch_progress& now = run_.progress();
    const broch_function_args args = {sizeof args,     0,  now.epoch_num, now.local_step,
                                      now.global_step, NAN};
    double value = 0;
    const broch_status status = host_.check(put.value.table->call(put.value.self, &args, &value));
    if (status == BROCH_STOP) throw broch::StopTraining("the script says so");
    if (status == BROCH_OK) metrics_->put_scalar(put.name, value);
  }
  std::string place() const {
    const broch_progress& now = run_.progress();
    return std::to_string(now.epoch_num) + "," + std::to_string(now.local_step) + "," +
           std::to_string(now.global_step);
  }
  std::string watched() const {
    if (watch_.empty()) return "";
    double value = 0;
    const auto* hyper = host_.require<broch_hyper>(BROCH_EXT_HYPER);
    host_.check(hyper->get(host_.c(), watch_.c_str(), &value));
    return " " + text_of(value);
  }

  broch::Host host_;
  broch::Run run_;
  Trace trace_;
  std::optional<broch::Metrics> metrics_;
  std::string watch_;
  std::vector<std::string> events_, fetch_names_;
  std::vector<uint32_t> fetches_;
  std::vector<Put> puts_;
};

// Sends a summary with tags that need cleaning.
class Summarizer final : public broch::Callback {
 public:
  explicit Summarizer(const broch::Host& host) : host_(host) {}
  void trigger() override {
    const broch_summary_value values[] = {
        {"tower0/x-summary", BROCH_SUMMARY_SCALAR, 0, 1.0, nullptr, nullptr, 0},
        {"EMA/tower12/y", BROCH_SUMMARY_SCALAR, 0, 2.0, nullptr, nullptr, 0}};
    host_.check(host_.require<broch_metrics>(BROCH_EXT_METRICS)->put_summary(host_.c(), values, 2));
  }

 private:
  broch::Host host_;
};

class Rows final : public broch::DataFlow {
 public:
  explicit Rows(const broch::Host& host) : trace_(broch::Config(host)) {
    const broch::Config config(host);
    for (uint64_t row = 0, n = config.size("/rows"); row < n; ++row) {
      const std::string at = "/rows/" + std::to_string(row);
      rows_.emplace_back();
      for (uint64_t i = 0, m = config.size(at); i < m; ++i)
        rows_.back().push_back(float(config.number(at + "/" + std::to_string(i))));
    }
    scalars_ = config.boolean("/scalars");
    known_size_ = config.boolean("/known_size");
    fail_at_ = config.integer("/fail_at");
    is_data_loss_ = config.boolean("/data_loss");
    waits_at_ = config.integer("/wait_at");
  }

  void open(const std::string& cursor) override {
    trace_.write("open " + cursor);
    next_ = cursor.empty() ? 0 : std::stoll(cursor) + 1;
  }
  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    if (next_ == fail_at_)
      throw broch::Error(is_data_loss_ ? BROCH_E_DATA_LOSS : BROCH_E_UNKNOWN,
                         "row " + std::to_string(next_) + " is torn");
    while (next_ == waits_at_) cancel.wait(1'000'000'000);
    if (next_ >= int64_t(rows_.size())) return false;
    std::vector<float>& row = rows_[size_t(next_)];
    int64_t shape[1] = {int64_t(row.size())};
    point.add(broch::dl_view(row.data(), {BROCH_DL_FLOAT, 32, 1}, shape, scalars_ ? 0 : 1));
    point.set_cursor(std::to_string(next_++));
    return true;
  }
  std::optional<int64_t> size() override {
    return known_size_ ? std::optional<int64_t>(rows_.size()) : std::nullopt;
  }

 private:
  Trace trace_;
  std::vector<std::vector<float>> rows_;
  bool scalars_, known_size_, is_data_loss_;
  int64_t fail_at_, waits_at_, next_ = 0;
};

// cost = w · mean(x), so that w falls by learning_rate · mean(x) in each step; "seen" counts
// committed updates.
class Slope final : public broch::Model {
 public:
  explicit Slope(const broch::Host& host) : Model(host) {
    const broch::Config config(host);
    name_ = config.string("/name");
    start_ = config.number("/start");
    size_ = config.integer("/size");
    decay_ = config.number("/decay");
  }
  std::vector<broch::Input> inputs() override { return {{"x", BROCH_FLOAT32, {-1}, {"B"}}}; }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    const broch::Tensor& x = inputs[0];
    const broch::Tensor w = t.variable(name_, {size_}, broch::Init::constant(start_)).value;
    const broch::Variable seen =
        t.variable("seen", {}, broch::Init::constant(0), BROCH_VARIABLE_MODEL);
    if (t.is_training()) t.update(seen.handle, seen.value + broch::Scalar(1));
    const broch::Tensor mean = t.publish("mean", t.ops().mean(x));
    t.publish("incorrect_vector", x);
    t.moving_summary("x", mean, decay_);
    t.summary("now", mean);
    return t.publish("cost", t.ops().mean(w) * mean);
  }
  std::string optimizer() override { return R"({"use": "sgd", "with": {"learning_rate": 1.0}})"; }

 private:
  std::string name_;
  double start_, decay_;
  int64_t size_;
};

// For the null runtime, whose operators keep the shape of their operand: cost = w.
class Flat final : public broch::Model {
 public:
  explicit Flat(const broch::Host& host) : Model(host) {}
  std::vector<broch::Input> inputs() override { return {{"x", BROCH_FLOAT32, {-1}, {"B"}}}; }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>&) override {
    return t.publish("cost", t.variable("w", {}, broch::Init::constant(1)).value);
  }
  std::string optimizer() override { return R"({"use": "sgd", "with": {"learning_rate": 1.0}})"; }
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
    for (uint32_t i = 0; i < n; ++i) line += std::string(" ") + values[i].tag;
    trace_.write(line);
  }

 private:
  Trace trace_;
  std::string label_;
};

constexpr broch_component kComponents[] = {
    broch::component<Recorder>("test.recorder", "callback"),
    broch::component<Summarizer>("test.summarizer", "callback"),
    broch::component<Rows>("test.rows", "dataflow"),
    broch::component<Slope>("test.slope", "model"),
    broch::component<Flat>("test.flat", "model"),
    broch::component<Listener>("test.listener", "monitor")};

}  // namespace

BROCH_PLUGIN(kComponents,
             "{\"components\": [" BROCH_META("test.recorder", "callback", "1.0.0", "Records.", R"({
  "type": "object",
  "properties": {
    "trace": {"type": ["string", "null"], "default": null},
    "events": {"type": "array", "items": {"type": "string"}, "default": []},
    "watch": {"type": ["string", "null"], "default": null},
    "fetch": {"type": "array", "items": {"type": "string"}, "default": []},
    "put": {"type": "array", "default": [], "items": {
      "type": "object",
      "properties": {"event": {"type": "string"}, "name": {"type": "string"},
                     "value": {"x-broch-function": true}},
      "required": ["event", "name", "value"], "additionalProperties": false}}
  },
  "additionalProperties": false
})") ", " BROCH_META("test.summarizer", "callback", "1.0.0", "Sends a summary.",
                    R"({"type": "object", "properties": {}, "additionalProperties": false})") ", "
    BROCH_META("test.flat", "model", "1.0.0", "Ignores its input.",
               R"({"type": "object", "properties": {}, "additionalProperties": false})") ", "
    BROCH_META("test.rows", "dataflow", "1.0.0", "Given rows.", R"({
  "type": "object",
  "properties": {
    "trace": {"type": ["string", "null"], "default": null},
    "rows": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
    "scalars": {"type": "boolean", "default": false},
    "known_size": {"type": "boolean", "default": true},
    "fail_at": {"type": "integer", "default": -1},
    "data_loss": {"type": "boolean", "default": false},
    "wait_at": {"type": "integer", "default": -1}
  },
  "required": ["rows"],
  "additionalProperties": false
})") ", " BROCH_META("test.slope", "model", "1.0.0", "One number.", R"({
  "type": "object",
  "properties": {
    "name": {"type": "string", "default": "w"},
    "start": {"type": "number", "default": 1},
    "size": {"type": "integer", "default": 1},
    "decay": {"type": "number", "default": 0.95}
  },
  "additionalProperties": false
})") ", " BROCH_META("test.listener", "monitor", "1.0.0", "Writes down what it hears.", R"({
  "type": "object",
  "properties": {"trace": {"type": "string"}, "label": {"type": "string"}},
  "required": ["trace", "label"],
  "additionalProperties": false
})") "]}")
