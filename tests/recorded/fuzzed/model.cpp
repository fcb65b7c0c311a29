// model.cpp: a model whose tower is a random program.
#include <broch/layers.hpp>

#include "program.hpp"

namespace {

class Fuzzed final : public broch::Model {
 public:
  explicit Fuzzed(const broch::Host& host) : Model(host), run_(host) {
    const broch::Config config(host);
    seed_ = config.integer("/seed");
    operations_ = config.integer("/operations");
    planted_ = config.boolean("/planted");
    shape_ = {config.integer("/rows"), config.integer("/columns")};
  }

  std::vector<broch::Input> inputs() override { return {{"x", BROCH_FLOAT32, shape_, {}}}; }

  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    const int64_t columns = shape_[1];
    const broch::Init noise = broch::Init::uniform(-0.5, 0.5);
    const broch::Variable state =
        t.variable("state", {}, broch::Init::constant(0), BROCH_VARIABLE_MODEL);
    const std::vector<broch::Tensor> variables = {t.variable("W", {3, columns}, noise).value,
                                                  t.variable("V", {columns, 3}, noise).value,
                                                  t.variable("b", {columns}, noise).value};
    broch::fuzzed::Program program(t, static_cast<uint64_t>(seed_), inputs[0], variables);
    program.add_operations(operations_ / 2);
    if (planted_) program.plant(1 + static_cast<double>(run_.progress().global_step) / 8);
    program.add_operations(operations_ - operations_ / 2);
    program.publish(kPublished);
    const broch::Tensor cost = t.publish("cost", program.cost());
    t.update(state.handle, t.ops().detach(state.value * broch::Scalar(0.5) + cost), "cost");
    return cost;
  }

 private:
  static constexpr int64_t kPublished = 16;

  broch::Run run_;
  int64_t seed_, operations_;
  bool planted_;
  std::vector<int64_t> shape_;
};

}  // namespace

BROCH_MODEL(Fuzzed, "recorded.fuzzed", "1.0.0", "A random program as a tower.", R"({
  "type": "object",
  "properties": {
    "seed": {"type": "integer", "minimum": 0},
    "operations": {"type": "integer", "minimum": 0},
    "rows": {"type": "integer", "minimum": 1},
    "columns": {"type": "integer", "minimum": 1},
    "planted": {"type": "boolean", "default": false,
                "description": "Compute with a number that each step changes."}
  },
  "required": ["seed", "operations", "rows", "columns"],
  "additionalProperties": false
})")
