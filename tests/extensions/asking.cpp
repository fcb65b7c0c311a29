// asking.cpp: a callback that asks the host for whatever it has, and writes down the answers; and a
// monitor that writes down events.
#include <broch/broch.hpp>
#include <thread>

#include "builtins/trace.hpp"

namespace {

using broch::test::text_of;
using broch::test::Trace;

template <class Values>
std::string list_of(const Values& values) {
  std::string text;
  for (const auto value : values) text += " " + text_of(double(value));
  return text;
}

class Asking final : public broch::Callback {
 public:
  explicit Asking(const broch::Host& host)
      : host_(host),
        config_(host),
        trace_(config_),
        run_(host),
        metrics_(host),
        hyper_params_(host),
        variables_(host),
        data_(host),
        kept_(host) {
    const broch::Instance instance(host);
    trace_.write("name " + instance.name());
    trace_.write("seeded " + std::to_string(instance.seed() == broch::Instance(host).seed()));
    trace_.write("child " + instance.child_id("/inner"));
  }

  void setup_graph() override {
    for (const broch_input_spec& input : broch::model_inputs(host_))
      trace_.write(std::string("input ") + input.name);
    hyper_params_.declare("pace", 0.25);
    hyper_params_.declare("pace", 9);
    make_variable();
    predictor_.emplace(host_, broch::Predictor::Names{"x"}, broch::Predictor::Names{"mean", "w"});
    const broch::Predictor named(host_, {"x"}, {"mean"}, {"own-tower", 0});
    for (const std::string& name : broch::Collections(host_).members(BROCH_COST, "own-tower"))
      trace_.write("cost " + name);
    mean_ = run_.fetch("mean");
    feed_ = run_.feed("mean");
    for (const char* name : {"slope", "rectified", "count", "nothing"})
      fetched_.push_back({name, run_.fetch(name)});
    twice_ = run_.fetch("twice");
  }
  void before_train() override {
    trace_.write("pace " + text_of(hyper_params_.get("pace")));
    predict();
    read();
    refuse();
    double_->run();
    trace_.write("own" + list_of(data_.doubles(variables_.value(own_))));
  }
  uint64_t before_run(broch_run run, uint64_t fetches) override {
    if (run_.progress().global_step == 1)
      run_.set_feed(run, feed_, data_.from_data(std::vector<float>{100}, {}));
    return fetches;
  }
  void after_run(broch_run run) override {
    trace_.write("mean " + text_of(*run_.scalar(run, mean_)));
    for (const auto& [name, id] : fetched_)
      trace_.write(name + " " + text_of(*run_.scalar(run, id)));
    trace_.write("twice" + list_of(data_.view<float>(*run_.value(run, twice_))));
  }
  void trigger() override {
    for (const double value : {0.5, 0.25}) metrics_.put_scalar("half", value);
    std::string line = "history";
    for (const broch_metric_point& point : metrics_.history("half"))
      line += " " + std::to_string(point.global_step) + ":" + text_of(point.value);
    trace_.write(line + ", " + std::to_string(metrics_.history("unknown").size()));
    metrics_.put_event("org.example.ask", "what is \"new\"?");
    broch_summary_value value{};
    value.tag = "tower0/part-summary";
    value.kind = BROCH_SUMMARY_SCALAR;
    value.scalar = 7;
    metrics_.put_summary({value});
    const broch_tensor mean = run_.eval({"w", "mean"})[1];
    trace_.write("eval " + text_of(data_.item(mean)));
  }
  // What was kept is there on another thread, after the call in which it was made.
  void after_train() override {
    std::thread([this] {
      const broch::ThreadScope thread(host_, "reader");
      trace_.write("kept" + list_of(data_.floats(kept_[0])) + list_of(data_.floats(kept_[1])));
    }).join();
    broch::Retained moved = std::move(kept_);
    trace_.write("moved " + std::to_string(moved.handles().size()) + " " +
                 std::to_string(kept_.handles().size()));
  }

 private:
  void make_variable() {
    const std::vector<double> first = {4, 5};
    std::vector<int64_t> shape = {2};
    const broch_dl_tensor values = broch::dl_view(first, shape);
    own_ = variables_.create("own", shape, broch::Init::values(values), BROCH_VARIABLE_MODEL,
                             BROCH_FLOAT64);
    double_.emplace(host_, "double", [this](const broch::Tower& scope) {
      scope.update(own_, scope.read(own_) * broch::Scalar(2));
    });
  }
  void predict() {
    const broch_tensor x = data_.from_data(std::vector<float>{1, 2, 6}, {3});
    const std::vector<broch_tensor> outputs = predictor_->call({x});
    kept_.keep({x});
    kept_.keep(outputs);
    for (const auto& [name, value] : predictor_->call_by_name({{"x", x}}))
      trace_.write("predicted " + name + " " + text_of(data_.item(value)));
  }
  void read() {
    broch::Point point(host_);
    point.writer().add(std::vector<float>{3, 4}, {2});
    const broch_tensor tensor = point.tensors(1)[0];
    trace_.write("point" + list_of(data_.view<float>(tensor)));
    const broch::TensorData::Managed shared = data_.to_dlpack(tensor);
    trace_.write("shared" + list_of(broch::view_as<const float>(shared->dl_tensor)));
    trace_.write("back" +
                 list_of(data_.floats(data_.from_dlpack(data_.to_dlpack(tensor).release()))));
  }
  // What has to fail, and with which words.
  void refuse() {
    attempt("dtype", [this] { data_.view<double>(kept_[0]); });
    attempt("gaps", [] {
      float memory[4] = {1, 2, 3, 4};
      int64_t shape[2] = {2, 2}, strides[2] = {1, 2};
      broch_dl_tensor columns = broch::dl_view(memory, {BROCH_DL_FLOAT, 32, 1}, shape, 2);
      columns.strides = strides;
      broch::view_as<float>(columns);
    });
    attempt("input", [this] { predictor_->call_by_name({{"y", 0}}); });
    attempt("shape", [this] { data_.from_data(std::vector<float>{1}, {2}); });
    attempt("picture", [this] {
      metrics_.put_summary({{"part", BROCH_SUMMARY_IMAGE, 0, 0, nullptr, nullptr, 0}});
    });
    attempt("sound", [this] {
      float samples[2] = {0, 1};
      int64_t frames[1] = {2};
      const broch_dl_tensor mono = broch::dl_view(samples, {BROCH_DL_FLOAT, 32, 1}, frames, 1);
      metrics_.put_summary({{"part", BROCH_SUMMARY_AUDIO, 0, 8000, &mono, nullptr, 0}});
    });
    attempt("image", [this] {
      int64_t pixels[2] = {2, 2};
      metrics_.put_image("part", broch::dl_view(nullptr, {BROCH_DL_UINT, 8, 1}, pixels, 2));
    });
    attempt("event", [this] { metrics_.put_event("", "text"); });
    broch_tensor inside = 0;
    {
      const broch::Scope scope(host_);
      inside = data_.from_data(std::vector<float>{1}, {1});
      data_.item(inside);
    }
    attempt("scope", [&] { data_.item(inside); });
  }
  template <class Body>
  void attempt(const std::string& what, Body&& body) {
    try {
      body();
      trace_.write("no failure of " + what);
    } catch (const broch::Error& error) {
      trace_.write(what + ": " + std::string(error.what()).substr(0, 40));
    }
  }

  broch::Host host_;
  broch::Config config_;
  Trace trace_;
  broch::Run run_;
  broch::Metrics metrics_;
  broch::HyperParam hyper_params_;
  broch::Variables variables_;
  broch::TensorData data_;
  broch::Retained kept_;
  std::optional<broch::Predictor> predictor_;
  std::optional<broch::Operation> double_;
  broch_variable own_ = 0;
  std::vector<std::pair<std::string, uint32_t>> fetched_;
  uint32_t mean_ = 0, feed_ = 0, twice_ = 0;
};

class Hearing final : public broch::Monitor {
 public:
  explicit Hearing(const broch::Host& host) : trace_(broch::Config(host)) {}
  void process_summary(const broch_summary_value* values, uint32_t n) override {
    for (uint32_t i = 0; i < n; ++i)
      if (std::string(values[i].tag) == "part")
        trace_.write("summary part " + text_of(values[i].scalar));
  }
  void process_event(const std::string& kind, const std::string& data) override {
    if (kind == "org.example.ask") trace_.write("event " + data);
  }

 private:
  Trace trace_;
};

}  // namespace

BROCH_COMPONENTS(broch::component<Asking>("test.asking", "callback", "1.0.0", "Asks.", R"({
  "type": "object",
  "properties": {"trace": {"type": "string"}, "inner": {"x-broch-component": "callback"}},
  "required": ["trace", "inner"],
  "additionalProperties": false
})"),
                 broch::component<Hearing>("test.hearing", "monitor", "1.0.0", "Hears.", R"({
  "type": "object",
  "properties": {"trace": {"type": "string"}},
  "required": ["trace"],
  "additionalProperties": false
})"))
