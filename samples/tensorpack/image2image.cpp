// image2image.cpp: fills drawn outlines with the right colors. Source: Isola, Zhu, Zhou and Efros,
// Image-to-image translation with conditional adversarial networks, 2016 ("pix2pix").
#include <broch/layers.hpp>

#include "picture_grid.hpp"

namespace {

using broch::Scalar;
using broch::Tensor;

struct Options {
  int64_t width;
  double closeness;

  static constexpr auto schema =
      broch::options(broch::option("width", &Options::width, "Channels at half of the size.")
                         .minimum(1)
                         .by_default(16),
                     broch::option("closeness", &Options::closeness,
                                   "Weight of the mean difference from the true picture.")
                         .minimum(0)
                         .by_default(100));
};

// Inputs: N outlines (N, 1, 32, 32), and the pictures (N, 3, 32, 32) with values from -1 to 1 that
// belong to them. Publishes g_total_loss, d_loss and fake, and for each sample wrong_pixels, the
// share of the pixels where a color is on that should be off, or off that should be on, and
// colored_pixels, what this would be for a black picture.
class Image2Image final : public broch::Model {
 public:
  Image2Image(const broch::Host& host, const Options& options) : Model(host), options_(options) {}

  std::vector<broch::Input> inputs() override {
    return {{"edges", BROCH_FLOAT32, {-1, 1, kSide, kSide}, {"B", "", "", ""}},
            {"picture", BROCH_FLOAT32, {-1, 3, kSide, kSide}, {"B", "", "", ""}}};
  }

  Tensor tower(broch::Tower& t, const std::vector<Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const Tensor edges = inputs[0], picture = inputs[1];
    const Tensor drawn = t.publish("fake", generated(t, edges));
    Tensor of_real, of_drawn;
    {
      const auto scope = t.scope("discrim");
      of_real = judged(t, edges, picture);
    }
    {
      const auto scope = t.reuse("discrim");
      of_drawn = judged(t, edges, drawn);
    }
    const broch::GanLosses losses = broch::gan_losses(t, of_real, of_drawn);
    const Tensor difference = ops.l1_loss(drawn, picture);
    t.moving_summary("difference", difference);
    t.publish("wrong_pixels", differing(ops, drawn, picture));
    t.publish("colored_pixels", differing(ops, ops.full_like(picture, -1), picture));
    t.summary("drawn", examples::picture_grid(t, drawn), BROCH_SHOW_IMAGE);
    t.publish("g_total_loss", losses.generator + difference * Scalar(options_.closeness));
    return losses.discriminator;
  }

 private:
  static constexpr int64_t kSide = 32;

  static Tensor differing(broch::Ops& ops, const Tensor& a, const Tensor& b) {
    const Tensor channels = ops.ne(ops.gt(a, Scalar(0)), ops.gt(b, Scalar(0)));
    const Tensor pixels = ops.to_dtype(ops.any_dim(channels, 1), BROCH_FLOAT32);
    return ops.mean_dim(pixels, {1, 2});
  }

  // Statistics of the batch also in inference, as in the paper.
  static Tensor normalized(broch::Tower& t, const std::string& name, const Tensor& x) {
    broch::BatchNormOptions norm;
    norm.training = true;
    norm.update = false;
    return broch::batch_norm(t, name, x, norm);
  }
  static Tensor halved(broch::Tower& t, const std::string& name, const Tensor& x,
                       int64_t channels) {
    broch::Conv2dOptions conv;
    conv.channels = channels;
    conv.kernel = 4;
    conv.stride = 2;
    conv.padding = 1;
    return broch::conv2d(t, name, x, conv);
  }
  static Tensor doubled(broch::Tower& t, const std::string& name, const Tensor& x,
                        int64_t channels) {
    broch::Conv2dTransposeOptions conv;
    conv.channels = channels;
    conv.kernel = 4;
    return broch::conv2d_transpose(t, name, x, conv);
  }
  static Tensor leaky(const Tensor& x) { return broch::leaky_relu(x, 0.2); }

  // A U-Net: on the way up, each size also gets what was seen at it on the way down.
  Tensor generated(broch::Tower& t, const Tensor& edges) const {
    const auto scope = t.scope("gen");
    broch::Ops& ops = t.ops();
    const int64_t width = options_.width;
    std::vector<Tensor> down = {leaky(halved(t, "down0", edges, width))};
    for (int i = 1; i < 4; ++i) {
      const std::string number = std::to_string(i);
      const Tensor x = halved(t, "down" + number, down.back(), width << std::min(i, 2));
      down.push_back(leaky(normalized(t, "down_bn" + number, x)));
    }
    Tensor x = down[3];
    for (int i = 2; i >= 0; --i) {
      const std::string number = std::to_string(i);
      x = doubled(t, "up" + number, x, width << std::min(i, 2));
      x = ops.cat({ops.relu(normalized(t, "up_bn" + number, x)), down[size_t(i)]}, 1);
    }
    return ops.tanh(doubled(t, "last", x, 3));
  }

  // How real each part of a picture looks, given the outline: (N, 1, 4, 4).
  Tensor judged(broch::Tower& t, const Tensor& edges, const Tensor& picture) const {
    Tensor x = t.ops().cat({edges, picture}, 1);
    x = leaky(halved(t, "conv0", x, options_.width));
    x = leaky(normalized(t, "bn1", halved(t, "conv1", x, 2 * options_.width)));
    x = leaky(normalized(t, "bn2", halved(t, "conv2", x, 4 * options_.width)));
    broch::Conv2dOptions last;
    last.channels = 1;
    return broch::conv2d(t, "conv3", x, last);
  }

  Options options_;
};

}  // namespace

BROCH_MODEL(Image2Image, "examples.image2image", "1.0.0", "Fills outlines with colors.",
            Options::schema)
