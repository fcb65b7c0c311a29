// setter.cpp: a callback that changes what its options name, in the event that they name; a
// session_init, and an input source, that take long.
#include <broch/broch.hpp>
#include <chrono>
#include <optional>
#include <thread>

namespace {

class Setter final : public broch::Callback {
 public:
  explicit Setter(const broch::Host& host)
      : host_(host),
        dist_(host),
        what_(broch::Config(host).string("/what")),
        when_(broch::Config(host).string("/when")) {
    if (what_ == "late") return;
    hyper_param_.emplace(host);
    variables_.emplace(host);
  }

  void setup_graph() override {
    if (what_ == "linger") std::this_thread::sleep_for(std::chrono::seconds(7));
    if (what_ == "make")
      variables_->assign(variables_->create("own", {}, broch::Init::constant(0)),
                         std::vector<float>{7});
    if (what_ == "starve") broch::Run(host_).feed("x");  // and never feeds it
    if (what_ == "plan") {
      plan_.emplace(host_, "own");
      plan_->broadcast();
      plan_->seal();
    }
    if (what_ != "operation") return;
    first_ = variables_->list(BROCH_VARIABLE_TRAINABLE).front();
    const std::string name = variables_->info(first_).name;
    for (const broch_variable one : variables_->list())
      if (std::string(variables_->info(one).name) == name + "/momentum_buffer") slot_ = one;
    // The slot of the first variable gets its value.
    operation_.emplace(host_, "push", [this](const broch::Tower& scope) {
      scope.update(slot_, scope.read(first_), "push");
    });
  }

  void before_train() override { event("before_train"); }
  void before_epoch() override { event("before_epoch"); }
  uint64_t before_run(broch_run, uint64_t fetches) override {
    event("before_run");
    return fetches;
  }
  void after_run(broch_run) override { event("after_run"); }
  void trigger_step() override { event("trigger_step"); }
  void after_epoch() override { event("after_epoch"); }
  void trigger_epoch() override { event("trigger_epoch"); }
  void after_train() override {
    if (what_ == "count") host_.info(std::to_string(count_) + " events of " + when_);
  }

 private:
  void event(const char* name) {
    if (when_ != name || ++count_ % 3 == 0) return;
    if (what_ == "sleep") std::this_thread::sleep_for(std::chrono::seconds(7));
    if (what_ == "rate") hyper_param_->set("learning_rate", 0.01 / (1 + count_));
    if (what_ == "option") hyper_param_->set("follower/rate", 0.01 / (1 + count_));
    if (what_ == "follow") hyper_param_->set("learning_rate", broch::Config(host_).number("/rate"));
    if (what_ == "rate of rank") hyper_param_->set("learning_rate", 0.01 * (1 + dist_.rank()));
    if (what_ == "weights" || (what_ == "weights of rank" && dist_.rank() == 1)) shrink();
    if (what_ == "operation") operation_->run();
    if (what_ == "tell") tell();
    if (what_ == "plan") plan_->run(false);
    if (what_ == "meet") dist_.barrier();
    const bool stops =
        what_ == "stop" || what_ == "starve" || (what_ == "stop of rank" && dist_.rank() == 1);
    if (stops && count_ == 5) throw broch::StopTraining("the fifth " + when_);
    if (what_ == "request" && count_ == 5) broch::Run(host_).request_stop("the fifth " + when_);
    if (what_ == "late") broch::HyperParam(host_).set("learning_rate", 0.001);
  }

  // Of the first variable that belongs to the model and is not trained.
  void tell() {
    const broch_variable first = variables_->list(BROCH_VARIABLE_MODEL).front();
    std::string text = "statistics:";
    for (const float value : broch::TensorData(host_).floats(variables_->value(first)))
      text += " " + broch::number_text(value);
    host_.info(text);
  }

  void shrink() {
    const broch_variable first = variables_->list(BROCH_VARIABLE_TRAINABLE).front();
    std::vector<float> values = broch::TensorData(host_).floats(variables_->value(first));
    for (float& value : values) value *= 0.75F;
    variables_->assign(first, values);
  }

  broch::Host host_;
  broch::Dist dist_;
  std::string what_, when_;
  std::optional<broch::HyperParam> hyper_param_;
  std::optional<broch::Variables> variables_;
  std::optional<broch::Plan> plan_;
  std::optional<broch::Operation> operation_;
  broch_variable first_ = 0, slot_ = 0;
  int count_ = 0;
};

class Sleeper final : public broch::SessionInit {
 public:
  void init() override { std::this_thread::sleep_for(std::chrono::seconds(7)); }
};

struct LateOptions {
  broch::ChildInputSource input;

  static constexpr auto schema = broch::options(broch::option("input", &LateOptions::input));
};

class Late final : public broch::InputSource {
 public:
  static constexpr uint32_t kFlags = 0;

  Late(const broch::Host& host, const LateOptions& options)
      : input_(options.input), point_(host), is_late_(broch::Dist(host).rank() == 1) {}

  void setup(const broch_input_spec* inputs, uint32_t n) override { input_.setup(inputs, n); }
  void set_towers(uint32_t n) override { input_.set_towers(n); }
  void reset_state() override {
    if (is_late_) std::this_thread::sleep_for(std::chrono::seconds(7));
    input_.reset_state();
  }
  bool next(uint32_t tower, const broch::Cancel& cancel, broch::PointWriter& point) override {
    point_.clear();
    if (!input_.next(tower, cancel, point_)) return false;
    point_.move_to(point);
    return true;
  }
  void stop() override { input_.stop(); }

 private:
  broch::ChildInputSource input_;
  broch::Point point_;
  bool is_late_;
};

}  // namespace

// clang-format off
BROCH_COMPONENTS(broch::component<Setter>("test.setter", "callback", "1.0.0",
  "Changes what it is told to.",
  R"({"type": "object", "properties": {"what": {"type": "string"}, "when": {"type": "string"},)"
  R"( "rate": {"type": "number", "default": 0.01, "x-broch-mutable": true}},)"
  R"( "additionalProperties": false})"),
  broch::component<Sleeper>("test.sleeper", "session_init", "1.0.0", "Takes 7 seconds."),
  broch::component<Late>("test.late", "input_source", "1.0.0", "Starts late on rank 1.",
  LateOptions::schema))
// clang-format on
