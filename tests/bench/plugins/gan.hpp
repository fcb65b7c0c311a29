// gan.hpp: a generator and a discriminator of pictures of 32x32 (Radford et al. 2015).
#pragma once
#include <broch/layers.hpp>

namespace broch::bench {

class Gan final : public broch::Model {
 public:
  explicit Gan(const broch::Host& host)
      : Model(host), width_(broch::Config(host).integer("/width")) {}

  std::vector<broch::Input> inputs() override {
    return {{"z", BROCH_FLOAT32, {-1, kNoise}, {"B", ""}},
            {"image", BROCH_FLOAT32, {-1, 3, 32, 32}, {"B", "", "", ""}}};
  }

  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    broch::Tensor fake = generated(t, inputs[0]), real;
    {
      const auto scope = t.scope("discrim");
      fake = discriminated(t, fake);
    }
    {
      const auto scope = t.reuse("discrim");
      real = discriminated(t, inputs[1]);
    }
    const broch::Tensor takes = ops.ones_like(fake), refuses = ops.zeros_like(fake);
    const broch::Tensor g = t.publish("g_loss", ops.binary_cross_entropy_with_logits(fake, takes));
    const broch::Tensor d =
        t.publish("d_loss", ops.binary_cross_entropy_with_logits(real, takes) +
                                ops.binary_cross_entropy_with_logits(fake, refuses));
    return t.publish("cost", g + d);
  }

 private:
  static constexpr int64_t kNoise = 100;

  broch::Tensor generated(broch::Tower& t, const broch::Tensor& z) const {
    const auto scope = t.scope("gen");
    broch::FullyConnectedOptions first;
    first.units = 4 * width_ * 16;
    first.use_bias = false;
    broch::Tensor x =
        t.ops().view(broch::fully_connected(t, "fc", z, first), {-1, 4 * width_, 4, 4});
    x = t.ops().relu(broch::batch_norm(t, "bn0", x));
    x = t.ops().relu(broch::batch_norm(t, "bn1", widened(t, "up1", x, 2 * width_)));
    x = t.ops().relu(broch::batch_norm(t, "bn2", widened(t, "up2", x, width_)));
    return t.ops().tanh(widened(t, "up3", x, 3));
  }

  static broch::Tensor widened(broch::Tower& t, const std::string& name, const broch::Tensor& x,
                               int64_t channels) {
    const auto scope = t.scope(name);
    const broch::Tensor w =
        t.variable("W", {t.size(x, 1), channels, 4, 4}, broch::Init::he_normal()).value;
    return t.ops().conv_transpose2d(x, w, {}, {2, 2}, {1, 1});
  }

  broch::Tensor discriminated(broch::Tower& t, const broch::Tensor& picture) const {
    broch::Tensor x = leaky(convolved(t, "conv1", picture, width_));
    x = leaky(broch::batch_norm(t, "bn2", convolved(t, "conv2", x, 2 * width_)));
    x = leaky(broch::batch_norm(t, "bn3", convolved(t, "conv3", x, 4 * width_)));
    broch::FullyConnectedOptions last;
    last.units = 1;
    last.use_bias = false;
    return broch::fully_connected(t, "fc", x, last);
  }

  static broch::Tensor convolved(broch::Tower& t, const std::string& name, const broch::Tensor& x,
                                 int64_t channels) {
    broch::Conv2dOptions conv;
    conv.channels = channels;
    conv.kernel = 4;
    conv.stride = 2;
    conv.padding = 1;
    conv.use_bias = false;
    return broch::conv2d(t, name, x, conv);
  }

  static broch::Tensor leaky(const broch::Tensor& x) { return broch::leaky_relu(x, 0.2); }

  int64_t width_;
};

}  // namespace broch::bench
