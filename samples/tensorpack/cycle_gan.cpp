// cycle_gan.cpp: translates images of one kind into another and back, without a pair of them.
// Source: Zhu, Park, Isola and Efros, Unpaired image-to-image translation using cycle-consistent
// adversarial networks, 2017.
#include <broch/layers.hpp>

#include "picture_grid.hpp"

namespace {

using broch::Scalar;
using broch::Tensor;

struct Options {
  int64_t width, blocks;
  double closeness;

  static constexpr auto schema = broch::options(
      broch::option("width", &Options::width, "Channels at full size; twice as many at half of it.")
          .minimum(1)
          .by_default(16),
      broch::option("blocks", &Options::blocks, "Residual blocks of a generator.")
          .minimum(0)
          .by_default(3),
      broch::option("closeness", &Options::closeness,
                    "Weight of the mean difference from an image that went there and back.")
          .minimum(0)
          .by_default(10));
};

// Inputs: N masks of shapes (N, 1, 32, 32), 0 or 1, and N other shapes with a ring (N, 1, 32, 32),
// -1, 0 or 1; see shapes.cpp. Publishes G_loss, D_loss, ringed_of_mask and mask_of_ringed. If both
// inputs show the same shapes, wrong_ringed and wrong_mask are for each sample the shares of the
// pixels that are not nearest to the right number.
class CycleGan final : public broch::Model {
 public:
  CycleGan(const broch::Host& host, const Options& options) : Model(host), options_(options) {}

  std::vector<broch::Input> inputs() override {
    return {{"mask", BROCH_FLOAT32, {-1, 1, kSide, kSide}, {"B", "", "", ""}},
            {"ringed", BROCH_FLOAT32, {-1, 1, kSide, kSide}, {"B", "", "", ""}}};
  }

  Tensor tower(broch::Tower& t, const std::vector<Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const Tensor a = inputs[0] * Scalar(2) - Scalar(1), b = inputs[1];
    const Tensor ab = t.publish("ringed_of_mask", translated(t, "to_ringed", a, false));
    const Tensor ba = t.publish("mask_of_ringed", translated(t, "to_mask", b, false));
    const Tensor aba = translated(t, "to_mask", ab, true);
    const Tensor bab = translated(t, "to_ringed", ba, true);
    const Losses of_a = judged(t, "mask", a, ba), of_b = judged(t, "ringed", b, ab);
    const Tensor back = ops.l1_loss(aba, a) + ops.l1_loss(bab, b);
    const Tensor g = of_a.generator + of_b.generator + back * Scalar(options_.closeness);
    t.moving_summary("back", back);
    t.moving_summary("G_loss", t.publish("G_loss", g));
    t.publish("wrong_ringed", far(ops, ab, b, 0.5));
    t.publish("wrong_mask", far(ops, ba, a, 1));
    t.summary("masks", examples::picture_grid(t, ba), BROCH_SHOW_IMAGE);
    t.summary("ringed", examples::picture_grid(t, ab), BROCH_SHOW_IMAGE);
    return t.publish("D_loss", of_a.discriminator + of_b.discriminator);
  }

 private:
  static constexpr int64_t kSide = 32;
  struct Losses {
    Tensor generator, discriminator;
  };

  // Squared differences from 1 for real images and from 0 for translated ones (least squares GAN).
  Losses judged(broch::Tower& t, const std::string& name, const Tensor& real,
                const Tensor& made) const {
    broch::Ops& ops = t.ops();
    const auto discriminators = t.scope("discrim");
    Tensor of_real, of_made;
    {
      const auto scope = t.scope(name);
      of_real = realness(t, real);
    }
    {
      const auto scope = t.reuse(name);
      of_made = realness(t, made);
    }
    const auto squares = [&](const Tensor& x) { return ops.mean(ops.square(x)); };
    return {squares(of_made - Scalar(1)),
            (squares(of_real - Scalar(1)) + squares(of_made)) * Scalar(0.5)};
  }

  static Tensor conv(broch::Tower& t, const std::string& name, const Tensor& x, int64_t channels,
                     int64_t kernel, int64_t stride) {
    broch::Conv2dOptions conv;
    conv.channels = channels;
    conv.kernel = kernel;
    conv.stride = stride;
    conv.padding = (kernel - 1) / 2;
    return broch::conv2d(t, name, x, conv);
  }
  static Tensor normed(broch::Tower& t, const std::string& name, const Tensor& x) {
    return broch::instance_norm(t, name, x);
  }

  // (N, 1, 4, 4): how real each part looks.
  Tensor realness(broch::Tower& t, const Tensor& image) const {
    const auto leaky = [](const Tensor& x) { return broch::leaky_relu(x, 0.2); };
    Tensor x = leaky(conv(t, "conv0", image, 2 * options_.width, 4, 2));
    x = leaky(normed(t, "norm1", conv(t, "conv1", x, 4 * options_.width, 4, 2)));
    x = leaky(normed(t, "norm2", conv(t, "conv2", x, 4 * options_.width, 4, 2)));
    return conv(t, "conv3", x, 1, 3, 1);
  }

  // again: this generator has been used before.
  Tensor translated(broch::Tower& t, const std::string& name, const Tensor& image,
                    bool again) const {
    broch::Ops& ops = t.ops();
    const auto generators = t.scope("gen");
    const auto scope = again ? t.reuse(name) : t.scope(name);
    const int64_t width = options_.width;
    Tensor x = ops.relu(normed(t, "norm0", conv(t, "conv0", image, width, 5, 1)));
    x = ops.relu(normed(t, "norm1", conv(t, "conv1", x, 2 * width, 3, 2)));
    for (int64_t i = 0; i < options_.blocks; ++i) {
      const auto block = t.scope("block" + std::to_string(i));
      const Tensor y = ops.relu(normed(t, "norm0", conv(t, "conv0", x, 2 * width, 3, 1)));
      x = x + normed(t, "norm1", conv(t, "conv1", y, 2 * width, 3, 1));
    }
    broch::Conv2dTransposeOptions up;
    up.channels = width;
    up.kernel = 4;
    x = ops.relu(normed(t, "norm2", broch::conv2d_transpose(t, "up", x, up)));
    return ops.tanh(conv(t, "last", x, 1, 5, 1));
  }

  // For each sample, the share of the pixels that are off by more than the limit.
  static Tensor far(broch::Ops& ops, const Tensor& made, const Tensor& right, double limit) {
    const Tensor off = ops.gt(ops.abs(made - right), Scalar(limit));
    return ops.mean_dim(ops.to_dtype(off, BROCH_FLOAT32), {1, 2, 3});
  }

  Options options_;
};

}  // namespace

BROCH_MODEL(CycleGan, "examples.cycle-gan", "1.0.0",
            "Translates images of one kind into another and back, without pairs.", Options::schema)
