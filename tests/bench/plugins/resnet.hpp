// resnet.hpp: the residual network of 20 layers for CIFAR pictures, with projections where the
// shape changes (He et al. 2015, section 4.2, option B).
#pragma once
#include <broch/layers.hpp>

namespace broch::bench {

class Resnet final : public broch::Model {
 public:
  explicit Resnet(const broch::Host& host) : Model(host) {}

  std::vector<broch::Input> inputs() override {
    return {{"image", BROCH_FLOAT32, {-1, 3, 32, 32}, {"B", "", "", ""}},
            {"label", BROCH_INT64, {-1}, {"B"}}};
  }

  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Tensor x = t.ops().relu(convolved(t, "stem", inputs[0], 16, 3, 1));
    for (int64_t i = 0; i < 9; ++i) {
      const int64_t channels = 16 << i / 3, stride = i == 3 || i == 6 ? 2 : 1;
      x = block(t, "block" + std::to_string(i + 1), x, channels, stride);
    }
    broch::FullyConnectedOptions last;
    last.units = 10;
    x = broch::fully_connected(t, "fc", broch::global_avg_pool(t, "pool", x), last);
    return t.publish("cost", t.ops().cross_entropy_loss(x, inputs[1]));
  }

 private:
  static broch::Tensor block(broch::Tower& t, const std::string& name, const broch::Tensor& x,
                             int64_t channels, int64_t stride) {
    const auto scope = t.scope(name);
    broch::Ops& ops = t.ops();
    broch::Tensor y = ops.relu(convolved(t, "a", x, channels, 3, stride));
    y = convolved(t, "b", y, channels, 3, 1);
    return ops.relu(y + (stride == 1 ? x : convolved(t, "shortcut", x, channels, 1, stride)));
  }

  static broch::Tensor convolved(broch::Tower& t, const std::string& name, const broch::Tensor& x,
                                 int64_t channels, int64_t kernel, int64_t stride) {
    const auto scope = t.scope(name);
    broch::Conv2dOptions conv;
    conv.channels = channels;
    conv.kernel = kernel;
    conv.stride = stride;
    conv.use_bias = false;
    return broch::batch_norm(t, "bn", broch::conv2d(t, "conv", x, conv));
  }
};

}  // namespace broch::bench
