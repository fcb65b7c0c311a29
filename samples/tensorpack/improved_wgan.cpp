// improved_wgan.cpp: a Wasserstein GAN whose critic is kept smooth by a penalty for its gradient.
// Source: Gulrajani, Ahmed, Arjovsky, Dumoulin and Courville, Improved training of Wasserstein
// GANs, 2017.
#include "digit_gan.hpp"
#include "gradient_penalty.hpp"
#include "judge.hpp"
#include "picture_grid.hpp"

namespace {

using broch::Scalar;
using broch::Tensor;

struct Options {
  double penalty;

  static constexpr auto schema = broch::options(
      broch::option("penalty", &Options::penalty,
                    "Weight of the mean square of the distance of the gradient's norm from 1.")
          .minimum(0)
          .by_default(10));
};

// Inputs: N images (N, 1, 8, 8) with values from 0 to 1, and their classes (N), for the judge
// alone. Publishes g_loss; d_and_judge_loss; fake; how many digits the judge sees clearly in real
// images, real_digits, and in drawn ones, drawn_digits.
class ImprovedWgan final : public broch::Model {
 public:
  ImprovedWgan(const broch::Host& host, const Options& options)
      : Model(host), penalty_(options.penalty), autograd_(host, ops()) {}

  std::vector<broch::Input> inputs() override { return examples::digits(); }

  Tensor tower(broch::Tower& t, const std::vector<Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const Tensor image = inputs[0] * Scalar(2) - Scalar(1);
    const Tensor noise = ops.randn({t.size(image, 0), kNoise});
    const Tensor drawn = t.publish("fake", examples::generated(t, noise));
    const Tensor real = ops.mean(scored(t, image, false)), fake = ops.mean(scored(t, drawn, true));
    const examples::Judge judge(t, image, drawn);
    t.publish("real_digits", judge.clear_digits(judge.of_real));
    t.publish("drawn_digits", judge.clear_digits(judge.of_drawn));
    t.summary("drawn", examples::picture_grid(t, drawn), BROCH_SHOW_IMAGE);
    t.moving_summary("distance", real - fake);
    t.publish("g_loss", -fake);
    Tensor cost = fake - real + judge.loss(inputs[1]);
    if (t.is_training()) cost = cost + roughness(t, image, drawn) * Scalar(penalty_);
    return t.publish("d_and_judge_loss", cost);
  }

 private:
  static constexpr int64_t kNoise = 32;

  static Tensor scored(broch::Tower& t, const Tensor& image, bool again) {
    const auto scope = again ? t.reuse("discrim") : t.scope("discrim");
    return examples::numbers(t, "fc", examples::features(t, image), 1);
  }

  Tensor roughness(broch::Tower& t, const Tensor& real, const Tensor& drawn) const {
    return examples::gradient_penalty(
        t, autograd_, real, drawn, [&](const Tensor& between) { return scored(t, between, true); });
  }

  double penalty_;
  broch::Autograd autograd_;
};

}  // namespace

BROCH_MODEL(ImprovedWgan, "examples.improved-wgan", "1.0.0",
            "A Wasserstein GAN with a penalty for the gradient of its critic.", Options::schema)
