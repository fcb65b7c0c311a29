// norms.hpp: normalizations within each sample.
#pragma once
#include "layer.hpp"

namespace broch {
inline namespace v0 {

struct LayerNormOptions {
  uint32_t dims = 1;  // number of last dimensions that are normalized together
  double epsilon = 1e-5;
  bool use_scale = true, use_bias = true;
  Names names = Names::tensorpack;
};

namespace glue {
// The last dimensions of x.
inline std::vector<int64_t> last_dims(const Checked& checked, const Tensor& x, uint32_t dims,
                                      double epsilon) {
  const std::vector<int64_t> all = checked.ranks("x", x, 1, BROCH_RANK_MAX, "(..., D)");
  checked.floating("x", x);
  if (dims < 1 || dims > all.size())
    checked.refuse("dims is " + std::to_string(dims) + " and " + checked.is("x", x),
                   "1 to " + std::to_string(all.size()));
  checked.not_negative("epsilon", epsilon);
  return {all.end() - dims, all.end()};
}
struct ScaleAndBias {
  Tensor gamma, beta;
};
inline ScaleAndBias scale_and_bias(const LayerScope& layer, const std::vector<int64_t>& shape,
                                   bool use_scale, bool use_bias) {
  ScaleAndBias both;
  if (use_scale) both.gamma = layer.variable("gamma", "weight", shape, Init::constant(1)).value;
  if (use_bias) both.beta = layer.variable("beta", "bias", shape, Init::constant(0)).value;
  return both;
}
}  // namespace glue

// Layer normalization. x: floating-point (…, D). Returns the same shape. Variables gamma, beta,
// with the shape of the dimensions that are normalized.
inline Tensor layer_norm(Tower& t, const std::string& name, const Tensor& x,
                         const LayerNormOptions& options = {}) {
  const glue::Checked checked(t, "layer_norm", name);
  const std::vector<int64_t> shape = glue::last_dims(checked, x, options.dims, options.epsilon);
  const glue::LayerScope layer(t, name, options.names);
  const auto own = glue::scale_and_bias(layer, shape, options.use_scale, options.use_bias);
  return layer.finish(t.ops().layer_norm(x, shape, own.gamma, own.beta, options.epsilon));
}

struct RmsNormOptions {
  uint32_t dims = 1;  // number of last dimensions that are normalized together
  double epsilon = 1e-6;
  bool use_scale = true;
  Names names = Names::tensorpack;
};

// x / sqrt(mean(x^2) + epsilon) * gamma (Zhang and Sennrich 2019). x: floating-point (…, D).
// Returns the same shape. Variable gamma.
inline Tensor rms_norm(Tower& t, const std::string& name, const Tensor& x,
                       const RmsNormOptions& options = {}) {
  const glue::Checked checked(t, "rms_norm", name);
  const std::vector<int64_t> shape = glue::last_dims(checked, x, options.dims, options.epsilon);
  const glue::LayerScope layer(t, name, options.names);
  const auto own = glue::scale_and_bias(layer, shape, options.use_scale, false);
  return layer.finish(t.ops().rms_norm(x, shape, own.gamma, options.epsilon));
}

struct GroupNormOptions {
  int64_t groups = 32;  // divides C
  double epsilon = 1e-5;
  bool use_scale = true, use_bias = true;
  Activation activation = nullptr;
  Names names = Names::tensorpack;
};

namespace glue {
inline Tensor group_norm_of(Tower& t, const Checked& checked, const std::string& name,
                            const Tensor& x, const GroupNormOptions& options, int64_t groups) {
  checked.not_negative("epsilon", options.epsilon);
  const LayerScope layer(t, name, options.names);
  const auto own = scale_and_bias(layer, {t.size(x, 1)}, options.use_scale, options.use_bias);
  const Tensor y = t.ops().group_norm(x, groups, own.gamma, own.beta, options.epsilon);
  return layer.finish(activated(y, options.activation));
}
}  // namespace glue

// Group normalization (Wu and He 2018): each sample by groups of neighboring channels. x:
// floating-point (N, C, …). Returns the same shape. Variables gamma, beta (C).
inline Tensor group_norm(Tower& t, const std::string& name, const Tensor& x,
                         const GroupNormOptions& options = {}) {
  const glue::Checked checked(t, "group_norm", name);
  const int64_t c = checked.ranks("x", x, 2, BROCH_RANK_MAX, "(N, C, ...)")[1];
  checked.floating("x", x);
  checked.at_least("groups", options.groups, 1);
  if (c % options.groups)
    checked.refuse("groups is " + std::to_string(options.groups) + " and " + checked.is("x", x),
                   "groups that divide " + std::to_string(c));
  return glue::group_norm_of(t, checked, name, x, options, options.groups);
}

struct InstanceNormOptions {
  double epsilon = 1e-5;
  bool use_scale = true, use_bias = true;
  Activation activation = nullptr;
  Names names = Names::tensorpack;
};

// Instance normalization (Ulyanov et al. 2016): each channel of each sample by itself. x:
// floating-point (N, C, L…). Returns the same shape. Variables gamma, beta (C).
inline Tensor instance_norm(Tower& t, const std::string& name, const Tensor& x,
                            const InstanceNormOptions& options = {}) {
  const glue::Checked checked(t, "instance_norm", name);
  const int64_t c = checked.ranks("x", x, 3, BROCH_RANK_MAX, "(N, C, L, ...)")[1];
  checked.floating("x", x);
  GroupNormOptions by_channel;
  by_channel.epsilon = options.epsilon;
  by_channel.use_scale = options.use_scale;
  by_channel.use_bias = options.use_bias;
  by_channel.activation = options.activation;
  by_channel.names = options.names;
  return glue::group_norm_of(t, checked, name, x, by_channel, c);
}

}  // namespace v0
}  // namespace broch
