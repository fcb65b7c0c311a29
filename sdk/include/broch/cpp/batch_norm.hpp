// batch_norm.hpp: batch normalization.
#pragma once
#include <algorithm>
#include <optional>

#include "layer.hpp"

namespace broch {
inline namespace v0 {

struct BatchNormOptions {
  double momentum = 0.9;  // running statistics: new = momentum * old + (1 - momentum) * batch
  double epsilon = 1e-5;
  std::string anchor = BROCH_UPDATE_OPS;  // runs that contain it update statistics (ext/tower.h)
  Activation activation = nullptr;
  // In training, use the statistics of all towers and ranks that compute the step together
  // (Tower::all_reduce): n towers with B images each then train like one tower with n * B images.
  bool sync = false;
  bool use_scale = true, use_bias = true;                    // gamma and beta
  Init scale = Init::constant(1), bias = Init::constant(0);  // their first values
  // Normalize groups of so many samples by themselves in training; 0: the whole batch, which is
  // also the group where it has fewer samples. Otherwise this must divide N. Hoffer et al. 2017;
  // tensorpack: `virtual_batch_size`.
  int64_t virtual_batch = 0;
  bool update = true;  // false: the running statistics stay. tensorpack: `ema_update="skip"`
  // Whether to use the statistics of the batch; not given: in training.
  std::optional<bool> training;
  Names names = Names::tensorpack;
};

namespace glue {

// The samples of a group, where the batch has n; 0: there are no groups. A smaller batch is one
// group: the end of the data, or the two samples of set-up.
inline int64_t samples_together(int64_t n, const BatchNormOptions& options) {
  return std::min(options.virtual_batch, n);
}

inline int64_t normalized_channels(const Checked& checked, const Tensor& x,
                                   const BatchNormOptions& options, bool training) {
  const std::vector<int64_t> shape = checked.ranks("x", x, 2, BROCH_RANK_MAX, "(N, C, ...)");
  checked.floating("x", x);
  if (!(options.momentum >= 0 && options.momentum <= 1))
    checked.refuse("momentum is " + std::to_string(options.momentum), "0 to 1");
  checked.not_negative("epsilon", options.epsilon);
  checked.at_least("virtual_batch", options.virtual_batch, 0);
  if (options.virtual_batch && options.sync)
    checked.refuse("sync and a virtual_batch", "one of them");
  const int64_t group = samples_together(shape[0], options);
  if (group && training && shape[0] % group)
    checked.refuse(
        "virtual_batch is " + std::to_string(options.virtual_batch) + " and " + checked.is("x", x),
        "a number that divides " + std::to_string(shape[0]));
  int64_t count = 1;  // elements of one channel
  for (size_t d = 0; d < shape.size(); ++d)
    if (d != 1) count *= shape[d];
  if (group) count = count / shape[0] * group;
  if (count == 1 && training && !options.sync)
    checked.refuse(checked.is("x", x),
                   "more than one number a channel in training, as one has "
                   "no variance");
  return shape[1];
}

// x, normalized by channel.
struct Normalized {
  Tensor y;               // (x - mean) / standard deviation; shape of x
  Tensor mean, variance;  // (C); unbiased variance
};

// (1, C, 1, …), to broadcast along channels.
inline std::vector<int64_t> along_channels(const Tower& t, const Tensor& x) {
  std::vector<int64_t> shape(t.shape(x).size(), 1);
  shape[1] = t.size(x, 1);
  return shape;
}
inline std::vector<int64_t> other_dims(const Tower& t, const Tensor& x) {
  std::vector<int64_t> dims;
  for (size_t d = 0; d < t.shape(x).size(); ++d)
    if (d != 1) dims.push_back(int64_t(d));
  return dims;
}

// With the statistics of all towers. First the mean, then the squared distances from it: this loses
// none of the digits that a difference of sums of squares would lose. The batches of the towers may
// differ in size.
inline Normalized normalized_together(Tower& t, const Tensor& x, double epsilon) {
  Ops& ops = t.ops();
  const std::vector<int64_t> shape = along_channels(t, x), others = other_dims(t, x);
  const int64_t c = shape[1];
  int64_t count = 1;  // elements of one channel in this tower
  for (const int64_t d : others) count *= t.size(x, d);
  const Tensor own = ops.sum_dim(x, others);  // float32 also where x is bfloat16
  const Tensor counted = ops.full({1}, count, t.dtype(own));
  const Tensor sums = t.all_reduce(ops.cat({own, counted}), BROCH_REDUCE_SUM);
  const Tensor total = ops.narrow(sums, 0, c, 1), mean = ops.narrow(sums, 0, 0, c) / total;
  const Tensor distance = x - ops.reshape(mean, shape);
  const Tensor squares = t.all_reduce(ops.sum_dim(distance * distance, others), BROCH_REDUCE_SUM);
  const Tensor scale = ops.rsqrt(squares / total + Scalar(epsilon));
  const Tensor degrees = ops.clamp_min(total - Scalar(1), Scalar(1));  // of freedom; not 0
  return {distance * ops.reshape(scale, shape), mean, squares / degrees};
}

// Each group of so many samples with its own statistics. The running ones follow their mean.
inline Normalized normalized_by_groups(Tower& t, const Tensor& x, int64_t samples, double epsilon) {
  Ops& ops = t.ops();
  const std::vector<int64_t> shape = t.shape(x);
  const Tensor groups = ops.reshape(x, {shape[0] / samples, samples, shape[1], -1});
  const int64_t count = samples * t.size(groups, 3);
  const auto [variance, mean] = ops.var_mean(groups, {1, 3}, 0, true);
  const Tensor y = (groups - mean) * ops.rsqrt(variance + Scalar(epsilon));
  const auto over_groups = [&](const Tensor& of) {
    return ops.mean_dim(ops.reshape(ops.detach(of), {shape[0] / samples, shape[1]}), {0});
  };
  return {ops.reshape(y, shape), over_groups(mean),
          over_groups(variance) * Scalar(double(count) / double(count - 1))};
}

// The variables of batch normalization.
struct BatchNormVariables {
  BatchNormVariables(const LayerScope& layer, int64_t c, const BatchNormOptions& options) {
    if (options.use_scale) gamma = layer.variable("gamma", "weight", {c}, options.scale).value;
    if (options.use_bias) beta = layer.variable("beta", "bias", {c}, options.bias).value;
    mean = layer.variable("mean/EMA", "running_mean", {c}, Init::constant(0), BROCH_VARIABLE_MODEL);
    variance =
        layer.variable("variance/EMA", "running_var", {c}, Init::constant(1), BROCH_VARIABLE_MODEL);
    if (layer.names() == Names::torch)  // PyTorch has it in each file and never reads it
      batches = layer.variable("", "num_batches_tracked", {}, Init::constant(0),
                               BROCH_VARIABLE_MODEL, BROCH_INT64);
  }
  // y * gamma + beta.
  Tensor scaled(Tower& t, Tensor y) const {
    const std::vector<int64_t> shape = along_channels(t, y);
    if (gamma) y = y * t.ops().reshape(gamma, shape);
    return beta ? y + t.ops().reshape(beta, shape) : y;
  }
  void update(Tower& t, const Tensor& new_mean, const Tensor& new_variance,
              const std::string& anchor) const {
    t.update(mean.handle, new_mean, anchor);
    t.update(variance.handle, new_variance, anchor);
    if (batches.handle) t.update(batches.handle, batches.value + Scalar(1), anchor);
  }
  // Moves the statistics towards those of the batch.
  void follow(Tower& t, const Tensor& batch_mean, const Tensor& batch_variance, double momentum,
              const std::string& anchor) const {
    const auto moved = [&](const Variable& running, const Tensor& batch) {
      return running.value * Scalar(momentum) + batch * Scalar(1 - momentum);
    };
    update(t, moved(mean, batch_mean), moved(variance, batch_variance), anchor);
  }

  Tensor gamma, beta;
  Variable mean, variance, batches;
};

}  // namespace glue

// Batch normalization. x: floating-point (N, C, …). Returns the same shape. In training it uses the
// statistics of the batch, in inference the running ones. Variables gamma, beta (C), trainable;
// mean/EMA, variance/EMA (C), MODEL, updated after the step by the main training tower only. The
// running variance is the unbiased one.
inline Tensor batch_norm(Tower& t, const std::string& name, const Tensor& x,
                         const BatchNormOptions& options = {}) {
  const glue::Checked checked(t, "batch_norm", name);
  const bool training = options.training.value_or(t.is_training());
  const int64_t c = glue::normalized_channels(checked, x, options, training);
  const glue::LayerScope layer(t, name, options.names);
  Ops& ops = t.ops();
  const glue::BatchNormVariables own(layer, c, options);
  const bool updates = t.is_main() && training && options.update;
  const int64_t group = glue::samples_together(t.size(x, 0), options);
  if (training && (group || (options.sync && t.is_training()))) {
    const glue::Normalized all = group ? glue::normalized_by_groups(t, x, group, options.epsilon)
                                       : glue::normalized_together(t, x, options.epsilon);
    if (updates) own.follow(t, all.mean, all.variance, options.momentum, options.anchor);
    return layer.finish(glue::activated(own.scaled(t, all.y), options.activation));
  }
  // The operator writes to its running statistics, so it gets copies. The variables themselves are
  // changed by updates.
  const Tensor new_mean = ops.clone(own.mean.value), new_variance = ops.clone(own.variance.value);
  const Tensor y = ops.native_batch_norm(x, own.gamma, own.beta, new_mean, new_variance, training,
                                         1 - options.momentum, options.epsilon)[0];
  if (updates) own.update(t, new_mean, new_variance, options.anchor);
  return layer.finish(glue::activated(y, options.activation));
}

}  // namespace v0
}  // namespace broch
