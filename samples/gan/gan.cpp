// gan.cpp: a generator and a discriminator of 8x8 images of digits. Source: Radford, Metz and
// Chintala, Unsupervised representation learning with deep convolutional generative adversarial
// networks, 2015.
#include <broch/layers.hpp>

namespace {

enum class Loss { cross_entropy, wasserstein };

struct Options {
  int64_t width;
  Loss loss;

  static constexpr auto schema = broch::options(
      broch::option("width", &Options::width, "A quarter of the channels of the smallest pictures.")
          .minimum(1)
          .by_default(16),
      broch::option(
          "loss", &Options::loss,
          "cross_entropy: the discriminator tells real from drawn; wasserstein: it scores "
          "them as far apart as its clipped weights permit.")
          .one_of("cross_entropy", "wasserstein")
          .by_default("cross_entropy"));
};

// Input: N images (N, 1, 8, 8) with values from 0 to 1. Publishes g_loss and d_loss. The variables
// are in the scopes gen and discrim. The noise is drawn in the tower function.
class Gan final : public broch::Model {
 public:
  Gan(const broch::Host& host, const Options& options)
      : Model(host), width_(options.width), loss_(options.loss) {}

  std::vector<broch::Input> inputs() override {
    return {{"image", BROCH_FLOAT32, {-1, 1, kSide, kSide}, {"B", "", "", ""}}};
  }

  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const broch::Tensor image = inputs[0] * broch::Scalar(2) - broch::Scalar(1);
    const broch::Tensor like = ops.narrow(ops.view(image, {-1, kSide * kSide}), 1, 0, kNoise);
    const broch::Tensor made = t.publish("fake", generated(t, ops.normal_like(like)));
    broch::Tensor fake, real;
    {
      const auto scope = t.scope("discrim");
      fake = judged(t, made);
    }
    {
      const auto scope = t.reuse("discrim");
      real = judged(t, image);
    }
    const broch::GanLosses losses =
        loss_ == Loss::wasserstein ? distance(t, real, fake) : broch::gan_losses(t, real, fake);
    t.summary("grid", grid(t, made), BROCH_SHOW_IMAGE);
    return t.publish("cost", losses.generator + losses.discriminator);
  }

 private:
  static constexpr int64_t kNoise = 32, kSide = 8, kGrid = 6;

  static broch::GanLosses distance(broch::Tower& t, const broch::Tensor& real,
                                   const broch::Tensor& fake) {
    broch::Ops& ops = t.ops();
    const broch::Tensor g = t.publish("g_loss", -ops.mean(fake));
    const broch::Tensor d = t.publish("d_loss", ops.mean(fake) - ops.mean(real));
    t.moving_summary("g_loss", g);
    t.moving_summary("d_loss", d);
    return {g, d};
  }

  // noise: (N, kNoise). Returns images (N, 1, 8, 8) with values from -1 to 1.
  broch::Tensor generated(broch::Tower& t, const broch::Tensor& noise) const {
    const auto scope = t.scope("gen");
    broch::FullyConnectedOptions first;
    first.units = 4 * width_ * 4;
    first.use_bias = false;
    broch::Tensor x =
        t.ops().view(broch::fully_connected(t, "fc", noise, first), {-1, 4 * width_, 2, 2});
    x = t.ops().relu(broch::batch_norm(t, "bn0", x));
    x = t.ops().relu(broch::batch_norm(t, "bn1", widened(t, "up1", x, 2 * width_)));
    return t.ops().tanh(widened(t, "up2", x, 1));
  }

  // Doubles height and width.
  static broch::Tensor widened(broch::Tower& t, const std::string& name, const broch::Tensor& x,
                               int64_t channels) {
    broch::Conv2dTransposeOptions conv;
    conv.channels = channels;
    conv.kernel = 4;
    conv.use_bias = false;
    conv.weight = broch::Init::glorot_uniform();
    return broch::conv2d_transpose(t, name, x, conv);
  }

  // How real an image looks, (N, 1): above 0 for real.
  broch::Tensor judged(broch::Tower& t, const broch::Tensor& picture) const {
    broch::Tensor x = broch::leaky_relu(halved(t, "conv1", picture, 2 * width_), 0.2);
    x = broch::leaky_relu(halved(t, "conv2", x, 4 * width_), 0.2);
    broch::FullyConnectedOptions last;
    last.units = 1;
    return broch::fully_connected(t, "fc", x, last);
  }

  // Halves height and width.
  static broch::Tensor halved(broch::Tower& t, const std::string& name, const broch::Tensor& x,
                              int64_t channels) {
    broch::Conv2dOptions conv;
    conv.channels = channels;
    conv.kernel = 4;
    conv.stride = 2;
    conv.padding = 1;
    return broch::conv2d(t, name, x, conv);
  }

  // The first images in a square grid of at most kGrid rows: (1, height, width, 1), 0 to 255.
  static broch::Tensor grid(broch::Tower& t, const broch::Tensor& pictures) {
    broch::Ops& ops = t.ops();
    int64_t side = 1;
    while (side < kGrid && (side + 1) * (side + 1) <= t.size(pictures, 0)) ++side;
    const broch::Tensor some = ops.narrow(pictures, 0, 0, side * side);
    const broch::Tensor tiles = ops.view(some, {side, side, kSide, kSide});
    const broch::Tensor rows = ops.contiguous(ops.permute(tiles, {0, 2, 1, 3}));
    return (ops.view(rows, {1, side * kSide, side * kSide, 1}) + broch::Scalar(1)) *
           broch::Scalar(127.5);
  }

  int64_t width_;
  Loss loss_;
};

}  // namespace

BROCH_MODEL(Gan, "digits.gan", "1.0.0", "A generator and a discriminator of 8x8 digits.",
            Options::schema)
