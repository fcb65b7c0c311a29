// own_rules.cpp: an update rule and gradient processors of a stranger's.
#include <broch/broch.hpp>

namespace {

// As the host's momentum, so that one can be held beside the other. climbs: the name of a variable
// that goes the other way.
class HeavyBall final : public broch::Optimizer {
 public:
  explicit HeavyBall(const broch::Host& host)
      : Optimizer(host),
        rate_(broch::Config(host).number("/learning_rate")),
        momentum_(broch::Config(host).number("/momentum")),
        wrong_(broch::Config(host).boolean("/wrong")),
        slot_(broch::Config(host).string("/slot")),
        climbs_(broch::Config(host).string("/climbs")) {}

  Spec spec() override {
    return {{{"learning_rate", rate_}, {"momentum", momentum_}}, {{slot_, 0}}};
  }
  std::vector<int64_t> slot_shape(size_t, const std::vector<int64_t>& shape) override {
    return slot_ == "nothing" ? std::vector<int64_t>{0} : shape;
  }
  void update(broch::Tower&, std::vector<broch::Parameter>& parameters,
              const std::vector<broch::Tensor>& hyper_params, const broch::Tensor&) override {
    for (broch::Parameter& one : parameters) {
      broch::Tensor& velocity = one.slots[0];
      velocity = ops().add(ops().mul(velocity, hyper_params[1]), one.gradient);
      const broch::Tensor change = ops().mul(velocity, hyper_params[0]);
      one.value = one.name == climbs_ ? ops().add(one.value, change) : ops().sub(one.value, change);
      if (wrong_) one.value = ops().unsqueeze(one.value, 0);
    }
  }

 private:
  double rate_, momentum_;
  bool wrong_;
  std::string slot_, climbs_;
};

// Divides by the largest gradient so far.
class Largest final : public broch::GradientProcessor {
 public:
  explicit Largest(const broch::Host& host)
      : GradientProcessor(host), leave_(broch::Config(host).string("/leave")) {}

  bool keeps(const std::string& name) override { return name != leave_; }
  void process(broch::Tower& scope, std::vector<broch::Gradient>& gradients) override {
    for (broch::Gradient& one : gradients) {
      const broch::Variable largest =
          scope.variable("largest/" + one.name, {}, broch::Init::constant(0), BROCH_VARIABLE_LOCAL);
      const broch::Tensor now = ops().maximum(largest.value, ops().abs(one.gradient));
      scope.update(largest.handle, now);
      one.gradient = ops().div(one.gradient, now);
    }
  }

 private:
  std::string leave_;
};

constexpr broch_component components[] = {
    broch::component<HeavyBall>("test.heavy-ball", "optimizer"),
    broch::component<Largest>("test.largest", "gradient_processor")};

}  // namespace

// clang-format off
BROCH_PLUGIN(components,
  "{\"components\": [" BROCH_META("test.heavy-ball", "optimizer", "1.0.0", "Momentum.",
    R"({"type": "object", "properties": {"learning_rate": {"type": "number"},)"
    R"( "momentum": {"type": "number", "default": 0.9}, "wrong": {"type": "boolean", "default": false},)"
    R"( "slot": {"type": "string", "default": "velocity"},)"
    R"( "climbs": {"type": "string", "default": ""}},)"
    R"( "required": ["learning_rate"], "additionalProperties": false})") ", "
  BROCH_META("test.largest", "gradient_processor", "1.0.0", "Divides by the largest so far.",
    R"({"type": "object", "properties": {"leave": {"type": "string", "default": ""}},)"
    R"( "additionalProperties": false})") "]}")
// clang-format on
