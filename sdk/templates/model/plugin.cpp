// @FILE@.cpp: an autoencoder: a model that reproduces its input through a narrow layer.
#include <broch/layers.hpp>

namespace {

struct Options {
  int64_t features, units;

  static constexpr auto schema = broch::options(
      broch::option("features", &Options::features, "Numbers of one input.")
          .minimum(1)
          .by_default(4),
      broch::option("units", &Options::units, "Width of the narrow layer.")
          .minimum(1)
          .by_default(2));
};

class @CLASS@ final : public broch::Model {
 public:
  @CLASS@(const broch::Host& host, const Options& options) : Model(host), options_(options) {}

  std::vector<broch::Input> inputs() override {
    return {{"x", BROCH_FLOAT32, {-1, options_.features}, {"B", ""}}};
  }

  // The host calls this several times, so keep no state in members: whatever changes during
  // training is a variable.
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::FullyConnectedOptions narrow, wide;
    narrow.units = options_.units;
    narrow.activation = [](const broch::Tensor& x) { return broch::tanh(x); };
    wide.units = options_.features;
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
  Options options_;
};

}  // namespace

BROCH_MODEL(@CLASS@, "@ID@", "0.1.0", "Gives back its input through a narrow layer.",
            Options::schema)
