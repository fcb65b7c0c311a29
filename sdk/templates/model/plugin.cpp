// @FILE@.cpp: an autoencoder: a model that reproduces its input through a narrow layer.
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

  // The host calls this several times, so keep no state in members: whatever changes during
  // training is a variable.
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

  // The default optimizer; "optimizer" in the manifest overrides it.
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
