// batch_renorm.hpp: batch renormalization.
#pragma once
#include "batch_norm.hpp"

namespace broch {
inline namespace v0 {

struct BatchRenormOptions {
  double rmax = 3, dmax = 5;  // limits of the correction; 1 and 0: batch normalization
  double momentum = 0.99;     // of the running statistics
  double epsilon = 1e-5;
  bool use_scale = true, use_bias = true;
  std::string anchor = BROCH_UPDATE_OPS;
  Activation activation = nullptr;
  Names names = Names::tensorpack;
};

// Batch renormalization (Ioffe 2017). x: floating-point (N, C, …). Returns the same shape. In
// training the normalized batch is corrected towards the running statistics, by
//   r = deviation of the batch / running deviation, within 1 / rmax and rmax
//   d = (mean of the batch - running mean) / running deviation, within -dmax and dmax
// which count as constants for the gradient. The variables are those of batch_norm. Begin with
// limits of 1 and 0, or with few steps of batch_norm.
inline Tensor batch_renorm(Tower& t, const std::string& name, const Tensor& x,
                           const BatchRenormOptions& options = {}) {
  const glue::Checked checked(t, "batch_renorm", name);
  BatchNormOptions like;
  like.momentum = options.momentum;
  like.epsilon = options.epsilon;
  like.use_scale = options.use_scale;
  like.use_bias = options.use_bias;
  const int64_t c = glue::normalized_channels(checked, x, like, t.is_training());
  if (!(options.rmax >= 1)) checked.refuse("rmax is " + std::to_string(options.rmax), "1 or more");
  checked.not_negative("dmax", options.dmax);
  const glue::LayerScope layer(t, name, options.names);
  const glue::BatchNormVariables own(layer, c, like);
  Ops& ops = t.ops();
  const std::vector<int64_t> along = glue::along_channels(t, x);
  const auto deviation = [&](const Tensor& variance) {
    return ops.sqrt(variance + Scalar(options.epsilon));
  };
  const auto broadcast = [&](const Tensor& of_channels) { return ops.reshape(of_channels, along); };
  const Tensor running = deviation(own.variance.value);
  Tensor y;
  if (t.is_training()) {
    const std::vector<int64_t> others = glue::other_dims(t, x);
    const auto [variance, mean] = ops.var_mean(x, others, 0);
    const Tensor own_deviation = deviation(variance);
    const Tensor r = ops.clamp(ops.detach(own_deviation) / running, 1 / options.rmax, options.rmax);
    const Tensor d =
        ops.clamp((ops.detach(mean) - own.mean.value) / running, -options.dmax, options.dmax);
    y = (x - broadcast(mean)) * broadcast(r / own_deviation) + broadcast(d);
    int64_t count = 1;
    for (const int64_t dim : others) count *= t.size(x, dim);
    if (t.is_main())
      own.follow(t, ops.detach(mean),
                 ops.detach(variance) * Scalar(double(count) / double(count - 1)), options.momentum,
                 options.anchor);
  } else {
    y = (x - broadcast(own.mean.value)) / broadcast(running);
  }
  return layer.finish(glue::activated(own.scaled(t, y), options.activation));
}

}  // namespace v0
}  // namespace broch
