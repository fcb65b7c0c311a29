// @FILE@.cpp: a model that learns to give back its input through a narrow layer.
#include <broch/layers.hpp>

namespace {

class @CLASS@ final : public broch::Model {
 public:
  explicit @CLASS@(const broch::Host& host)
      : Model(host), features_(broch::Config(host).integer("/features")),
        units_(broch::Config(host).integer("/units")) {}

  std::vector<broch::Input> inputs() override {
    return {{"x", BROCH_FLOAT32, {-1, features_}, {"B", ""}}};
  }

  // Called more than once; keeps nothing. What changes in training is a variable.
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::FullyConnectedOptions narrow, wide;
    narrow.units = units_;
    narrow.activation = [](const broch::Tensor& x) { return broch::tanh(x); };
    wide.units = features_;
    const broch::Tensor code = broch::fully_connected(t, "encode", inputs[0], narrow);
    const broch::Tensor back = broch::fully_connected(t, "decode", code, wide);
    const broch::Tensor cost = t.publish("cost", t.ops().mse_loss(back, inputs[0]));
    t.moving_summary("cost", cost);
    return cost;
  }

  // The default; the manifest may name another one.
  std::string optimizer() override {
    return R"({"use": "adam", "with": {"learning_rate": 0.01}})";
  }

 private:
  int64_t features_, units_;
};

}  // namespace

BROCH_MODEL(@CLASS@, "@ID@", "0.1.0", "Gives back its input through a narrow layer.", R"({
  "type": "object",
  "properties": {
    "features": {"type": "integer", "minimum": 1, "default": 4, "description": "Numbers of one input."},
    "units": {"type": "integer", "minimum": 1, "default": 2, "description": "Width of the narrow layer."}
  },
  "additionalProperties": false
})")
