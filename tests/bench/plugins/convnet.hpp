// convnet.hpp: two convolutions, the second one normalized, and one fully connected layer.
#pragma once
#include <broch/layers.hpp>

namespace broch::bench {

class Convnet final : public broch::Model {
 public:
  explicit Convnet(const broch::Host& host) : Model(host) {
    const broch::Config config(host);
    side_ = config.integer("/side");
    padding_ = config.integer("/padding");
  }

  std::vector<broch::Input> inputs() override {
    return {{"image", BROCH_FLOAT32, {-1, 1, side_, side_}, {"B", "", "", ""}},
            {"label", BROCH_INT64, {-1}, {"B"}}};
  }

  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Conv2dOptions conv;
    conv.padding = padding_;
    conv.channels = 32;
    conv.activation = broch::relu;
    broch::Tensor x = broch::conv2d(t, "conv1", inputs[0], conv);
    conv.channels = 64;
    conv.activation = nullptr;
    broch::BatchNormOptions norm;
    norm.activation = broch::relu;
    x = broch::batch_norm(t, "bn", broch::conv2d(t, "conv2", x, conv), norm);
    x = broch::max_pool2d(t, "pool", x);
    broch::FullyConnectedOptions last;
    last.units = 10;
    x = broch::fully_connected(t, "fc", x, last);
    return t.publish("cost", t.ops().cross_entropy_loss(x, inputs[1]));
  }

 private:
  int64_t side_, padding_;
};

}  // namespace broch::bench
