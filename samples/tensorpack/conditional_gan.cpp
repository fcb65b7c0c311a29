// conditional_gan.cpp: draws the digit that it is asked for. Source: Mirza and Osindero,
// Conditional generative adversarial nets, 2014.
#include "digit_gan.hpp"
#include "judge.hpp"
#include "picture_grid.hpp"

namespace {

using broch::Scalar;
using broch::Tensor;

// Inputs: N images (N, 1, 8, 8) with values from 0 to 1, and their classes (N), which are also what
// the generator is asked for. Publishes g_loss; d_and_judge_loss; fake; and what the judge says:
// judge_error, 1 for each real image that it takes for another digit, and disobeyed, 1 for each
// drawn image that it takes for another digit than the one that was asked for.
class ConditionalGan final : public broch::Model {
 public:
  using Model::Model;

  std::vector<broch::Input> inputs() override { return examples::digits(); }

  Tensor tower(broch::Tower& t, const std::vector<Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const Tensor image = inputs[0] * Scalar(2) - Scalar(1), label = inputs[1];
    const Tensor asked = examples::one_hot(ops, label);
    const Tensor noise = ops.randn({t.size(image, 0), kNoise});
    const Tensor drawn = t.publish("fake", examples::generated(t, ops.cat({noise, asked}, 1)));
    Tensor of_real, of_drawn;
    {
      const auto scope = t.scope("discrim");
      of_real = judged(t, image, asked);
    }
    {
      const auto scope = t.reuse("discrim");
      of_drawn = judged(t, drawn, asked);
    }
    const broch::GanLosses losses = broch::gan_losses(t, of_real, of_drawn);
    const examples::Judge judge(t, image, drawn);
    t.publish("judge_error", judge.wrong(judge.of_real, label));
    t.publish("disobeyed", judge.wrong(judge.of_drawn, label));
    t.summary("drawn", examples::picture_grid(t, drawn), BROCH_SHOW_IMAGE);
    return t.publish("d_and_judge_loss", losses.discriminator + judge.loss(label));
  }

 private:
  static constexpr int64_t kNoise = 32;

  // How real an image of the digit that was asked for looks, (N, 1). That digit is told by planes.
  static Tensor judged(broch::Tower& t, const Tensor& image, const Tensor& asked) {
    broch::Ops& ops = t.ops();
    const Tensor planes =
        ops.expand(ops.view(asked, {-1, examples::kClasses, 1, 1}),
                   {t.size(image, 0), examples::kClasses, examples::kSide, examples::kSide});
    return examples::numbers(t, "fc", examples::features(t, ops.cat({image, planes}, 1)), 1);
  }
};

}  // namespace

BROCH_MODEL(ConditionalGan, "examples.conditional-gan", "1.0.0",
            "Draws the digit that it is asked for.")
