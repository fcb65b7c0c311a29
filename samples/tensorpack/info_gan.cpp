// info_gan.cpp: a generator whose input has a code that can be read from what it draws; the code
// becomes the digit, although no digit is ever told. Source: Chen, Duan, Houthooft, Schulman,
// Sutskever and Abbeel, InfoGAN: interpretable representation learning by information maximizing
// generative adversarial nets, 2016.

#include "digit_gan.hpp"
#include "picture_grid.hpp"

namespace {

using broch::Scalar;
using broch::Tensor;

// Inputs: N images (N, 1, 8, 8) with values from 0 to 1, and their classes (N), which only purity
// uses. Publishes g_info_loss and d_info_loss; fake; and, of a batch: code_error, the share of the
// drawn images whose code is not read back; style_error, the mean square of what is read of two
// more numbers from -1 to 1; purity, the share of the real images whose class is the most frequent
// one among those with the same code.
class InfoGan final : public broch::Model {
 public:
  using Model::Model;

  std::vector<broch::Input> inputs() override { return examples::digits(); }

  Tensor tower(broch::Tower& t, const std::vector<Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const Tensor image = inputs[0] * Scalar(2) - Scalar(1);
    const int64_t count = t.size(image, 0);
    const Tensor code = ops.to_dtype(ops.floor(ops.rand({count}) * Scalar(kCodes)), BROCH_INT64);
    const Tensor style = ops.rand({count, kStyles}) * Scalar(2) - Scalar(1);
    const Tensor noise = ops.randn({count, kNoise});
    const Tensor from = ops.cat({examples::one_hot(ops, code), style, noise}, 1);
    const Tensor drawn = t.publish("fake", examples::generated(t, from));
    const Read real = read(t, image, false), fake = read(t, drawn, true);
    const broch::GanLosses losses = broch::gan_losses(t, real.realness, fake.realness);
    const Tensor style_error = ops.mse_loss(fake.style, style);
    const Tensor info = ops.cross_entropy_loss(fake.code, code) + style_error;
    t.publish("code_error",
              ops.mean(ops.to_dtype(ops.ne(ops.argmax(fake.code, 1), code), BROCH_FLOAT32)));
    t.publish("style_error", style_error);
    t.publish("purity", purity(ops, ops.argmax(real.code, 1), inputs[1]));
    t.summary("drawn", examples::picture_grid(t, drawn), BROCH_SHOW_IMAGE);
    t.publish("g_info_loss", losses.generator + info);
    return t.publish("d_info_loss", losses.discriminator + info);
  }

 private:
  static constexpr int64_t kCodes = examples::kClasses, kStyles = 2, kNoise = 16;

  struct Read {
    Tensor realness, code, style;  // (N, 1), (N, kCodes), (N, kStyles)
  };
  static Read read(broch::Tower& t, const Tensor& image, bool again) {
    const auto scope = again ? t.reuse("discrim") : t.scope("discrim");
    const Tensor x = examples::features(t, image);
    broch::FullyConnectedOptions hidden;
    hidden.units = 64;
    hidden.activation = [](const Tensor& y) { return broch::leaky_relu(y, 0.2); };
    const Tensor y = broch::fully_connected(t, "read", x, hidden);
    return {examples::numbers(t, "realness", x, 1), examples::numbers(t, "code", y, kCodes),
            examples::numbers(t, "style", y, kStyles)};
  }

  static Tensor purity(broch::Ops& ops, const Tensor& code, const Tensor& label) {
    const Tensor counts =
        ops.matmul(ops.t(examples::one_hot(ops, code)), examples::one_hot(ops, label));
    return ops.sum(ops.amax(counts, {1})) / ops.sum(counts);
  }
};

}  // namespace

BROCH_MODEL(InfoGan, "examples.info-gan", "1.0.0",
            "A GAN with a code that can be read from what it draws.")
