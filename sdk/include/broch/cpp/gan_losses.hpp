// gan_losses.hpp: the costs of a generator and a discriminator. tensorpack: `GANModelDesc`.
#pragma once
#include "layer.hpp"

namespace broch {
inline namespace v0 {

struct GanLosses {
  Tensor generator, discriminator;
};

// real, fake: logits of the discriminator for real and for generated examples. Publishes g_loss,
// the mean cross entropy if fakes were real, and d_loss, the mean of those of both if each is taken
// for what it is; also g_accuracy and d_accuracy, the parts of the examples that are judged as each
// side wants. Reports the moving averages of all four.
inline GanLosses gan_losses(Tower& t, const Tensor& real, const Tensor& fake) {
  Ops& ops = t.ops();
  const auto loss = [&](const Tensor& logits, bool is_real) {
    return ops.binary_cross_entropy_with_logits(
        logits, is_real ? ops.ones_like(logits) : ops.zeros_like(logits));
  };
  const auto share = [&](const Tensor& judged) {
    return ops.mean(ops.to_dtype(judged, BROCH_FLOAT32));
  };
  const auto shown = [&](const char* name, const Tensor& value) {
    const Tensor published = t.publish(name, value);
    t.moving_summary(name, published);
    return published;
  };
  const Tensor taken = share(ops.gt(fake, Scalar(0)));
  const Tensor right =
      (share(ops.gt(real, Scalar(0))) + share(ops.lt(fake, Scalar(0)))) * Scalar(0.5);
  shown("g_accuracy", taken);
  shown("d_accuracy", right);
  return {shown("g_loss", loss(fake, true)),
          shown("d_loss", (loss(real, true) + loss(fake, false)) * Scalar(0.5))};
}

}  // namespace v0
}  // namespace broch
