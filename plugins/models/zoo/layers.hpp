// layers.hpp: layers of torch.nn with the initial values that PyTorch gives them, which those of
// the SDK cannot have: there, a bias begins with 0 and a scale with 1.
#pragma once
#include <broch/layers.hpp>
#include <cmath>
#include <string>

namespace broch::zoo {

// What PyTorch gives to weight and bias of a linear map or a convolution, fan_in: the number of
// inputs of each output.
inline Init torch_default(int64_t fan_in) {
  const double limit = 1 / std::sqrt(double(fan_in));
  return Init::uniform(-limit, limit);
}

struct LinearInits {
  Init weight, bias;
};

// A linear map along the last dimension. x: (…, D). Returns (…, units). Variables NAME.weight
// (units, D), NAME.bias (units).
inline Tensor linear(Tower& t, const std::string& name, const Tensor& x, int64_t units,
                     const LinearInits& inits) {
  const Tensor w = t.variable(name + ".weight", {units, t.size(x, -1)}, inits.weight).value;
  const Tensor b = t.variable(name + ".bias", {units}, inits.bias).value;
  return t.publish(t.scoped(name + "/output"), t.ops().linear(x, w, b));
}
inline Tensor linear(Tower& t, const std::string& name, const Tensor& x, int64_t units) {
  const Init init = torch_default(t.size(x, -1));
  return zoo::linear(t, name, x, units, {init, init});
}

// A convolution. x: (N, C, H, W). Returns (N, channels, …). Variables NAME.weight (channels, C,
// kernel, kernel), NAME.bias (channels).
inline Tensor conv2d(Tower& t, const std::string& name, const Tensor& x, int64_t channels,
                     int64_t kernel, int64_t padding = 0) {
  const int64_t inputs = t.size(x, 1);
  const Init init = torch_default(inputs * kernel * kernel);
  const Tensor w = t.variable(name + ".weight", {channels, inputs, kernel, kernel}, init).value;
  const Tensor b = t.variable(name + ".bias", {channels}, init).value;
  return t.publish(t.scoped(name + "/output"), t.ops().conv2d(x, w, b, {1, 1}, {padding, padding}));
}

// A transposed convolution whose windows do not overlap: each pixel becomes factor * factor of
// them. x: (N, C, H, W). Returns (N, channels, H * factor, W * factor). Variables NAME.weight (C,
// channels, factor, factor), NAME.bias (channels).
inline Tensor upsampling(Tower& t, const std::string& name, const Tensor& x, int64_t channels,
                         int64_t factor) {
  const Init init = torch_default(channels * factor * factor);  // PyTorch counts the outputs here
  const Tensor w =
      t.variable(name + ".weight", {t.size(x, 1), channels, factor, factor}, init).value;
  const Tensor b = t.variable(name + ".bias", {channels}, init).value;
  return t.publish(t.scoped(name + "/output"), t.ops().conv_transpose2d(x, w, b, {factor, factor}));
}

// Batch normalisation whose scale begins with these values. x: (N, C, …).
inline Tensor scaled_batch_norm(Tower& t, const std::string& name, const Tensor& x, Init scale) {
  BatchNormOptions plain;
  plain.use_scale = plain.use_bias = false;
  plain.names = Names::torch;
  const Tensor y = broch::batch_norm(t, name, x, plain);
  std::vector<int64_t> shape(t.shape(x).size(), 1);
  shape[1] = t.size(x, 1);
  const Tensor gamma = t.variable(name + ".weight", {shape[1]}, scale).value;
  const Tensor beta = t.variable(name + ".bias", {shape[1]}, Init::constant(0)).value;
  return y * t.ops().reshape(gamma, shape) + t.ops().reshape(beta, shape);
}

// Attention by head: softmax(q k^T / sqrt(E)) v, E = D / heads. q, k, v: (N, T, D). Returns (N, T,
// D). dropout: of the weights, in training.
struct Attending {
  int64_t heads;
  bool causal;  // a step does not see later ones
  double dropout;
};
inline Tensor attention(Tower& t, const std::string& name, const Tensor& q, const Tensor& k,
                        const Tensor& v, const Attending& how) {
  Ops& ops = t.ops();
  const int64_t rows = t.size(q, 0), steps = t.size(q, 1), width = t.size(q, 2);
  const int64_t each = width / how.heads;
  const auto by_head = [&](const Tensor& x) {  // (N, heads, T, E)
    return ops.transpose(ops.reshape(x, {rows, steps, how.heads, each}), 1, 2);
  };
  Tensor y;
  if (how.dropout == 0 || !t.is_training()) {
    y = ops.scaled_dot_product_attention(by_head(q), by_head(k), by_head(v), {}, 0.0, how.causal);
  } else {
    Tensor scores = ops.matmul(by_head(q), ops.transpose(by_head(k), 2, 3)) *
                    Scalar(1 / std::sqrt(double(each)));
    if (how.causal) {
      const Tensor later = ops.triu(ops.ones({steps, steps}, t.dtype(scores)), 1);
      scores = ops.masked_fill(scores, ops.gt(later, Scalar(0)), Scalar(-INFINITY));
    }
    y = ops.matmul(dropout(t, name + ".dropout", ops.softmax(scores, -1), how.dropout), by_head(v));
  }
  return ops.reshape(ops.transpose(y, 1, 2), {rows, steps, width});
}

// A layer of torch.nn.LSTM, from zeros. x: (N, T, D), T at least 1. Returns (N, T, units).
// Variables NAME.weight_ih_lK (4 units, D), NAME.weight_hh_lK (4 units, units), NAME.bias_ih_lK and
// NAME.bias_hh_lK (4 units), K: the number of the layer.
inline Tensor lstm(Tower& t, const std::string& name, int64_t number, const Tensor& x,
                   int64_t units) {
  Ops& ops = t.ops();
  const std::string ending = "_l" + std::to_string(number);
  const auto variable = [&](const char* part, const std::vector<int64_t>& shape) {
    return t.variable(name + "." + part + ending, shape, torch_default(units)).value;
  };
  const Tensor w_ih = variable("weight_ih", {4 * units, t.size(x, 2)});
  const Tensor w_hh = variable("weight_hh", {4 * units, units});
  const Tensor b_ih = variable("bias_ih", {4 * units}), b_hh = variable("bias_hh", {4 * units});
  Tensor h = ops.zeros({t.size(x, 0), units}, t.dtype(x)), c = h;
  std::vector<Tensor> outputs;
  for (int64_t step = 0; step < t.size(x, 1); ++step) {
    const auto next = ops.lstm_cell(ops.select(x, 1, step), {h, c}, w_ih, w_hh, b_ih, b_hh);
    h = next[0];
    c = next[1];
    outputs.push_back(h);
  }
  return t.publish(t.scoped(name + ending + "/output"), ops.stack(outputs, 1));
}

}  // namespace broch::zoo
