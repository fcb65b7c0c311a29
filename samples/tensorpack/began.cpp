// began.cpp: a GAN whose discriminator draws an image again, and tells real from drawn by how well
// it can; a number keeps both sides in balance. Source: Berthelot, Schumm and Metz, BEGAN: boundary
// equilibrium generative adversarial networks, 2017.
#include "judge.hpp"
#include "picture_grid.hpp"

namespace {

using broch::Scalar;
using broch::Tensor;

struct Options {
  int64_t code;
  double gamma, speed;

  static constexpr auto schema = broch::options(
      broch::option("code", &Options::code, "Numbers that an image is drawn from.")
          .minimum(1)
          .by_default(8),
      broch::option("gamma", &Options::gamma,
                    "How well drawn images shall be drawn again: the error by that of real ones. "
                    "More gives more different images.")
          .above(0)
          .maximum(1)
          .by_default(1),
      broch::option("speed", &Options::speed, "How fast the balance follows.")
          .above(0)
          .by_default(0.05));
};

// Inputs: N images (N, 1, 8, 8) with values from 0 to 1, and their classes (N), for the judge
// alone. Publishes g_loss; d_and_judge_loss; fake; balance_weight, from 0 to 1, the weight of drawn
// images for the discriminator; measure, which falls as the images get better; and how many digits
// the judge sees clearly in real images, real_digits, and in drawn ones, drawn_digits.
class Began final : public broch::Model {
 public:
  Began(const broch::Host& host, const Options& options) : Model(host), options_(options) {}

  std::vector<broch::Input> inputs() override {
    return {{"image", BROCH_FLOAT32, {-1, 1, kSide, kSide}, {"B", "", "", ""}},
            {"label", BROCH_INT64, {-1}, {"B"}}};
  }

  Tensor tower(broch::Tower& t, const std::vector<Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const Tensor image = inputs[0] * Scalar(2) - Scalar(1);
    const Tensor noise = ops.rand({t.size(image, 0), options_.code}) * Scalar(2) - Scalar(1);
    Tensor drawn;
    {
      const auto scope = t.scope("gen");
      drawn = t.publish("fake", decoded(t, noise));
    }
    const Tensor of_real = error_again(t, image, false), of_drawn = error_again(t, drawn, true);
    const examples::Judge judge(t, image, drawn);
    t.publish("real_digits", judge.clear_digits(judge.of_real));
    t.publish("drawn_digits", judge.clear_digits(judge.of_drawn));
    t.summary("drawn", examples::picture_grid(t, drawn), BROCH_SHOW_IMAGE);
    t.moving_summary("g_loss", t.publish("g_loss", of_drawn));
    return t.publish("d_and_judge_loss",
                     of_real - balance(t, of_real, of_drawn) * of_drawn + judge.loss(inputs[1]));
  }

 private:
  static constexpr int64_t kSide = 8, kWidth = 16;

  // The balance before this step; the next one is written.
  Tensor balance(broch::Tower& t, const Tensor& of_real, const Tensor& of_drawn) const {
    broch::Ops& ops = t.ops();
    const broch::Variable balance =
        t.variable("balance", {}, broch::Init::constant(0), BROCH_VARIABLE_MODEL);
    const Tensor apart = ops.detach(of_real * Scalar(options_.gamma) - of_drawn);
    if (t.is_training())
      t.update(balance.handle, ops.clamp(balance.value + apart * Scalar(options_.speed), 0, 1));
    t.moving_summary("measure", t.publish("measure", ops.detach(of_real) + ops.abs(apart)));
    return t.publish("balance_weight", balance.value);
  }

  // The mean difference between images and what the discriminator draws of them.
  Tensor error_again(broch::Tower& t, const Tensor& image, bool again) const {
    const auto scope = again ? t.reuse("discrim") : t.scope("discrim");
    return t.ops().mean(t.ops().abs(decoded(t, encoded(t, image)) - image));
  }

  static Tensor conv(broch::Tower& t, const std::string& name, const Tensor& x, int64_t channels) {
    broch::Conv2dOptions conv;
    conv.channels = channels;
    conv.activation = broch::elu;
    return broch::conv2d(t, name, x, conv);
  }
  Tensor encoded(broch::Tower& t, const Tensor& image) const {
    const auto scope = t.scope("encoder");
    Tensor x = conv(t, "conv2", conv(t, "conv1", image, kWidth), kWidth);
    x = conv(t, "conv3", broch::avg_pool2d(t, "pool1", x), 2 * kWidth);
    x = conv(t, "conv4", broch::avg_pool2d(t, "pool2", x), 2 * kWidth);
    broch::FullyConnectedOptions code;
    code.units = options_.code;
    return broch::fully_connected(t, "fc", x, code);
  }
  static Tensor decoded(broch::Tower& t, const Tensor& code) {
    const auto scope = t.scope("decoder");
    broch::FullyConnectedOptions first;
    first.units = 2 * kWidth * 4;
    Tensor x = t.ops().view(broch::fully_connected(t, "fc", code, first), {-1, 2 * kWidth, 2, 2});
    x = conv(t, "conv1", x, 2 * kWidth);
    x = conv(t, "conv2", broch::upsample_nearest(t, "up1", x, 2), 2 * kWidth);
    x = conv(t, "conv3", broch::upsample_nearest(t, "up2", x, 2), kWidth);
    broch::Conv2dOptions last;
    last.channels = 1;
    return broch::conv2d(t, "conv4", x, last);
  }

  Options options_;
};

}  // namespace

BROCH_MODEL(Began, "examples.began", "1.0.0", "A GAN whose two sides are kept in balance.",
            Options::schema)
