// layers.hpp: layers as functions of a tower. A layer creates its variables in a scope with its
// name and publishes its result as "{scope}/output". Arguments that do not fit throw Error. Source:
// tensorpack models/*.py.
#pragma once
#include <cstdint>
#include <functional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "layer_checks.hpp"

namespace broch {
inline namespace v0 {

// Functions from tensor to tensor, for the option activation of layers.
using Activation = std::function<Tensor(const Tensor&)>;
inline Tensor relu(const Tensor& x) { return x.ops().relu(x); }
inline Tensor tanh(const Tensor& x) { return x.ops().tanh(x); }
inline Tensor sigmoid(const Tensor& x) { return x.ops().sigmoid(x); }
inline Tensor leaky_relu(const Tensor& x, double alpha = 0.01) {
  return x.ops().leaky_relu(x, alpha);
}
inline Tensor gelu(const Tensor& x) { return x.ops().gelu(x); }
inline Tensor elu(const Tensor& x) { return x.ops().elu(x); }

// A copy of options with some members set, so that common options are written once:
//   const Conv2dOptions conv = with(Conv2dOptions(), &Conv2dOptions::activation, relu);
//   x = conv2d(t, "conv1", x, with(conv, &Conv2dOptions::channels, 32));
// tensorpack: `argscope`.
template <class Options>
Options with(Options options) {
  return options;
}
template <class Options, class Member, class Value, class... More>
Options with(Options options, Member Options::*member, Value&& value, More&&... more) {
  options.*member = std::forward<Value>(value);
  return with(std::move(options), std::forward<More>(more)...);
}

namespace glue {
// Call it while the scope of the layer is open.
inline Tensor finish(Tower& t, Tensor y, const Activation& activation) {
  if (activation) y = activation(y);
  return t.publish(t.scoped("output"), y);
}
inline Tensor output(Tower& t, const std::string& name, const Tensor& y) {
  return t.publish(t.scoped(name + "/output"), y);
}
// Checks the arguments of a convolution of x, (N, C, H, W). Returns C.
inline int64_t image_channels(const Checked& checked, const Tensor& x, int64_t channels,
                              int64_t kernel) {
  const int64_t inputs = checked.rank("x", x, 4, "(N, C, H, W)")[1];
  checked.float32("x", x);
  checked.at_least("channels", channels, 1);
  checked.at_least("kernel", kernel, 1);
  return inputs;
}
}  // namespace glue

struct Conv2dOptions {
  int64_t channels = 0;  // output channels
  int64_t kernel = 3;
  int64_t stride = 1;
  int64_t padding = -1;  // -1: kernel / 2, which keeps the size for an odd kernel at stride 1
  int64_t dilation = 1;
  bool use_bias = true;
  Init weight = Init::he_normal();
  Activation activation = nullptr;
};

// A two-dimensional convolution. x: float32 (N, C, H, W). Returns (N, channels, height, width).
// Variables W (channels, C, kernel, kernel), b (channels).
inline Tensor conv2d(Tower& t, const std::string& name, const Tensor& x,
                     const Conv2dOptions& options) {
  const glue::Checked checked(t, "conv2d", name);
  const int64_t inputs = glue::image_channels(checked, x, options.channels, options.kernel);
  checked.at_least("stride", options.stride, 1);
  checked.at_least("dilation", options.dilation, 1);
  const auto scope = t.scope(name);
  const int64_t k = options.kernel, padding = options.padding < 0 ? k / 2 : options.padding;
  const Tensor w = t.variable("W", {options.channels, inputs, k, k}, options.weight).value;
  const Tensor b =
      options.use_bias ? t.variable("b", {options.channels}, Init::constant(0)).value : Tensor();
  return glue::finish(t,
                      t.ops().conv2d(x, w, b, {options.stride, options.stride}, {padding, padding},
                                     {options.dilation, options.dilation}),
                      options.activation);
}

struct Conv2dTransposeOptions {
  int64_t channels = 0;  // output channels
  int64_t kernel = 3;
  int64_t stride = 2;
  bool use_bias = true;
  Init weight = Init::he_normal();
  Activation activation = nullptr;
};

// A transposed convolution: the gradient of a convolution with this stride. x: float32 (N, C, H,
// W). Returns (N, channels, H * stride, W * stride). At stride 1 the kernel must be odd. Variables
// W (C, channels, kernel, kernel), b (channels).
inline Tensor conv2d_transpose(Tower& t, const std::string& name, const Tensor& x,
                               const Conv2dTransposeOptions& options) {
  const glue::Checked checked(t, "conv2d_transpose", name);
  const int64_t inputs = glue::image_channels(checked, x, options.channels, options.kernel);
  checked.at_least("stride", options.stride, 1);
  const auto scope = t.scope(name);
  const int64_t k = options.kernel, stride = options.stride;
  const int64_t padding = k > stride ? (k - stride + 1) / 2 : 0;
  const int64_t rest = stride - k + 2 * padding;  // output padding, below and on the right
  if (rest >= stride)
    checked.refuse("kernel is " + std::to_string(k) + " at stride 1", "an odd kernel there");
  const Tensor w = t.variable("W", {inputs, options.channels, k, k}, options.weight).value;
  const Tensor b =
      options.use_bias ? t.variable("b", {options.channels}, Init::constant(0)).value : Tensor();
  return glue::finish(
      t, t.ops().conv_transpose2d(x, w, b, {stride, stride}, {padding, padding}, {rest, rest}),
      options.activation);
}

struct FullyConnectedOptions {
  int64_t units = 0;
  bool use_bias = true;
  Init weight = Init::he_normal();
  Activation activation = nullptr;
};

// A linear map. x: float32 (N, …), flattened to (N, D). Returns (N, units). Variables W (units, D),
// b (units).
inline Tensor fully_connected(Tower& t, const std::string& name, const Tensor& x,
                              const FullyConnectedOptions& options) {
  const glue::Checked checked(t, "fully_connected", name);
  const size_t rank = checked.ranks("x", x, 2, BROCH_RANK_MAX, "(N, D) or (N, ...)").size();
  checked.float32("x", x);
  checked.at_least("units", options.units, 1);
  const auto scope = t.scope(name);
  const Tensor flat = rank == 2 ? x : t.ops().flatten(x, 1);
  const Tensor w = t.variable("W", {options.units, t.size(flat, 1)}, options.weight).value;
  const Tensor b =
      options.use_bias ? t.variable("b", {options.units}, Init::constant(0)).value : Tensor();
  return glue::finish(t, t.ops().linear(flat, w, b), options.activation);
}

struct BatchNormOptions {
  double momentum = 0.9;  // running statistics: new = momentum * old + (1 - momentum) * batch
  double epsilon = 1e-5;
  std::string anchor = BROCH_UPDATE_OPS;  // runs that contain it update statistics (ext/tower.h)
  Activation activation = nullptr;
  // In training, use the statistics of all towers and ranks that compute the step together
  // (Tower::all_reduce): n towers with B images each then train like one tower with n * B images.
  bool sync = false;
};

namespace glue {

inline int64_t normalised_channels(const Tower& t, const std::string& name, const Tensor& x,
                                   const BatchNormOptions& options) {
  const Checked checked(t, "batch_norm", name);
  const std::vector<int64_t> shape = checked.ranks("x", x, 2, BROCH_RANK_MAX, "(N, C, ...)");
  checked.floating("x", x);
  if (!(options.momentum >= 0 && options.momentum <= 1))
    checked.refuse("momentum is " + std::to_string(options.momentum), "0 to 1");
  if (!(options.epsilon >= 0))
    checked.refuse("epsilon is " + std::to_string(options.epsilon), "0 or more");
  int64_t count = 1;  // elements of one channel
  for (size_t d = 0; d < shape.size(); ++d)
    if (d != 1) count *= shape[d];
  if (count == 1 && t.is_training() && !options.sync)
    checked.refuse(checked.is("x", x),
                   "more than one number a channel in training, as one has "
                   "no variance");
  return shape[1];
}

// x of all towers together, normalised by channel.
struct Normalised {
  Tensor y;                    // (x - mean) / standard deviation; shape of x
  Tensor mean, variance;       // (C); unbiased variance
  std::vector<int64_t> shape;  // (1, C, 1, …), to broadcast along channels
};

// First the mean, then the squared distances from it: this loses none of the digits that a
// difference of sums of squares would lose. The batches of the towers may differ in size.
inline Normalised normalised_together(Tower& t, const Tensor& x, double epsilon) {
  Ops& ops = t.ops();
  std::vector<int64_t> shape = t.shape(x), others;
  const int64_t c = shape[1];
  int64_t count = 1;  // elements of one channel in this tower
  for (int64_t d = 0; d < int64_t(shape.size()); ++d)
    if (d != 1) count *= std::exchange(shape[size_t(d)], 1), others.push_back(d);
  const Tensor counted = ops.full({1}, count, t.dtype(x));
  const Tensor sums = t.all_reduce(ops.cat({ops.sum_dim(x, others), counted}), BROCH_REDUCE_SUM);
  const Tensor total = ops.narrow(sums, 0, c, 1), mean = ops.narrow(sums, 0, 0, c) / total;
  const Tensor distance = x - ops.reshape(mean, shape);
  const Tensor squares = t.all_reduce(ops.sum_dim(distance * distance, others), BROCH_REDUCE_SUM);
  const Tensor scale = ops.rsqrt(squares / total + Scalar(epsilon));
  return {distance * ops.reshape(scale, shape), mean, squares / (total - Scalar(1)), shape};
}

}  // namespace glue

// Batch normalisation. x: floating-point (N, C, …). Returns the same shape. In training it uses the
// statistics of the batch, in inference the running ones. Variables gamma, beta (C), trainable;
// mean/EMA, variance/EMA (C), MODEL, updated after the step by the main training tower only. The
// running variance is the unbiased one.
inline Tensor batch_norm(Tower& t, const std::string& name, const Tensor& x,
                         const BatchNormOptions& options = {}) {
  const int64_t c = glue::normalised_channels(t, name, x, options);
  const auto scope = t.scope(name);
  Ops& ops = t.ops();
  const Tensor gamma = t.variable("gamma", {c}, Init::constant(1)).value;
  const Tensor beta = t.variable("beta", {c}, Init::constant(0)).value;
  const Variable mean = t.variable("mean/EMA", {c}, Init::constant(0), BROCH_VARIABLE_MODEL);
  const Variable variance =
      t.variable("variance/EMA", {c}, Init::constant(1), BROCH_VARIABLE_MODEL);
  if (options.sync && t.is_training()) {
    const glue::Normalised all = glue::normalised_together(t, x, options.epsilon);
    const auto follow = [&](const Variable& running, const Tensor& batch) {
      t.update(running.handle,
               running.value * Scalar(options.momentum) + batch * Scalar(1 - options.momentum),
               options.anchor);
    };
    if (t.is_main()) {
      follow(mean, all.mean);
      follow(variance, all.variance);
    }
    const Tensor y = all.y * ops.reshape(gamma, all.shape) + ops.reshape(beta, all.shape);
    return glue::finish(t, y, options.activation);
  }
  // The operator writes to its running statistics, so it gets copies. The variables themselves are
  // changed by updates.
  const Tensor new_mean = ops.clone(mean.value), new_variance = ops.clone(variance.value);
  const Tensor y = ops.native_batch_norm(x, gamma, beta, new_mean, new_variance, t.is_training(),
                                         1 - options.momentum, options.epsilon)[0];
  if (t.is_main()) {
    t.update(mean.handle, new_mean, options.anchor);
    t.update(variance.handle, new_variance, options.anchor);
  }
  return glue::finish(t, y, options.activation);
}

// In training, sets each element to zero with probability rate, 0 <= rate < 1, and multiplies the
// others by 1 / (1 - rate). x: floating-point. Returns the same shape. As for all random operators,
// what is drawn depends on the tower, the place of the call in the tower function, and the run.
inline Tensor dropout(Tower& t, const std::string& name, const Tensor& x, double rate) {
  const glue::Checked checked(t, "dropout", name);
  checked.given("x", x, "a tensor");
  checked.floating("x", x);
  checked.rate("rate", rate);
  if (!t.is_training() || rate == 0) return glue::output(t, name, x);
  const auto scope = t.scope(name);
  const Tensor keep = t.ops().bernoulli(t.ops().detach(x), 1 - rate);
  return glue::finish(t, x * keep * Scalar(1 / (1 - rate)), nullptr);
}
// The same with a rate that changes during training: a 0-dim tensor, for example from
// Tower::hyper_param.
inline Tensor dropout(Tower& t, const std::string& name, const Tensor& x, const Tensor& rate) {
  const glue::Checked checked(t, "dropout", name);
  checked.given("x", x, "a tensor");
  checked.floating("x", x);
  checked.rank("rate", rate, 0, "a 0-dim tensor");
  if (!t.is_training()) return glue::output(t, name, x);
  const auto scope = t.scope(name);
  Ops& ops = t.ops();
  const Tensor keep_probability = ops.to_dtype(Scalar(1) - rate, t.dtype(x));
  const Tensor keep = ops.to_dtype(ops.lt(ops.rand_like(x), keep_probability), t.dtype(x));
  return glue::finish(t, x * keep / keep_probability, nullptr);
}

struct PoolOptions {
  int64_t kernel = 2;
  int64_t stride = 0;  // 0: the same as kernel
  int64_t padding = 0;
};
namespace glue {
struct Pooling {
  Ints kernel, stride, padding;
};
inline Pooling pooling(const Checked& checked, const Tensor& x, const PoolOptions& options) {
  checked.ranks("x", x, 3, 4, "(N, C, H, W) or (C, H, W)");
  checked.at_least("kernel", options.kernel, 1);
  checked.at_least("stride", options.stride, 0);
  checked.at_least("padding", options.padding, 0);
  if (options.padding > options.kernel / 2)
    checked.refuse("padding is " + std::to_string(options.padding),
                   "at most half of the kernel, " + std::to_string(options.kernel));
  const int64_t stride = options.stride ? options.stride : options.kernel;
  return {{options.kernel, options.kernel}, {stride, stride}, {options.padding, options.padding}};
}
}  // namespace glue

// x: (N, C, H, W) or (C, H, W). Windows of kernel * kernel elements; padding is at most kernel / 2.
inline Tensor max_pool2d(Tower& t, const std::string& name, const Tensor& x,
                         const PoolOptions& options = {}) {
  const glue::Pooling how = glue::pooling(glue::Checked(t, "max_pool2d", name), x, options);
  const auto scope = t.scope(name);
  return glue::finish(t, t.ops().max_pool2d(x, how.kernel, how.stride, how.padding), nullptr);
}
inline Tensor avg_pool2d(Tower& t, const std::string& name, const Tensor& x,
                         const PoolOptions& options = {}) {
  const glue::Checked checked(t, "avg_pool2d", name);
  const glue::Pooling how = glue::pooling(checked, x, options);
  checked.floating("x", x);
  const auto scope = t.scope(name);
  return glue::finish(t, t.ops().avg_pool2d(x, how.kernel, how.stride, how.padding), nullptr);
}
// The mean over height and width. x: floating-point (N, C, H, W). Returns (N, C).
inline Tensor global_avg_pool(Tower& t, const std::string& name, const Tensor& x) {
  const glue::Checked checked(t, "global_avg_pool", name);
  checked.rank("x", x, 4, "(N, C, H, W)");
  checked.floating("x", x);
  return glue::output(t, name, t.ops().mean_dim(x, {2, 3}));
}

namespace glue {
inline std::regex compiled(const Checked& checked, const std::string& regex) {
  try {
    return std::regex(regex);
  } catch (const std::regex_error& error) {
    checked.refuse("regex '" + regex + "' (" + error.what() + ")", "an ECMAScript regex");
  }
}
}  // namespace glue

// The sum of loss(variable) over the trainable variables of this tower whose names contain a match
// of regex (std::regex_search); 0 in inference. loss must return a 0-dim tensor. In training the
// sum is added to the collection REGULARIZATION_LOSSES; adding it to the cost is up to the caller.
// tensorpack: `regularize_cost`.
inline Tensor regularize_cost(Tower& t, const std::string& regex,
                              const std::function<Tensor(const Tensor&)>& loss,
                              const std::string& name = "regularize_cost") {
  const glue::Checked checked(t, "regularize_cost", name);
  if (!loss) checked.refuse("no loss", "a function such as l2_regularizer(1e-4)");
  Tensor total;
  if (t.is_training()) {
    const std::regex pattern = glue::compiled(checked, regex);
    for (const Tower::Trainable& variable : t.trainables())
      if (std::regex_search(variable.name, pattern)) {
        const Tensor term = loss(t.read(variable.handle));
        checked.rank(("the loss of " + variable.name).c_str(), term, 0, "a 0-dim tensor");
        total = total ? total + term : term;
      }
  }
  if (!total) total = t.ops().zeros({}, BROCH_FLOAT32);
  total = t.publish(name, total);
  if (t.is_training()) t.collect(BROCH_REGULARIZATION_LOSSES, total);
  return total;
}
// scale * sum(x^2) / 2, which is scale * tf.nn.l2_loss(x).
inline std::function<Tensor(const Tensor&)> l2_regularizer(double scale) {
  return [scale](const Tensor& x) { return x.ops().sum(x.ops().square(x)) * Scalar(scale / 2); };
}

}  // namespace v0
}  // namespace broch
