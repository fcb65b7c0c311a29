// activations.hpp: functions from tensor to tensor, for the option activation of layers.
#pragma once
#include <functional>

#include "ops.hpp"

namespace broch {
inline namespace v0 {

using Activation = std::function<Tensor(const Tensor&)>;

inline Tensor relu(const Tensor& x) { return x.ops().relu(x); }
inline Tensor relu6(const Tensor& x) { return x.ops().relu6(x); }
inline Tensor leaky_relu(const Tensor& x, double alpha = 0.01) {
  return x.ops().leaky_relu(x, alpha);
}
inline Tensor elu(const Tensor& x) { return x.ops().elu(x); }
inline Tensor selu(const Tensor& x) { return x.ops().selu(x); }
// x * P(X <= x) for a normal X, exactly; gelu_tanh: an approximation by tanh, as in GPT-2.
inline Tensor gelu(const Tensor& x) { return x.ops().gelu(x); }
inline Tensor gelu_tanh(const Tensor& x) { return x.ops().gelu(x, "tanh"); }
// x * sigmoid(x); also called swish.
inline Tensor silu(const Tensor& x) { return x.ops().silu(x); }
inline Tensor hardswish(const Tensor& x) { return x.ops().hardswish(x); }
inline Tensor mish(const Tensor& x) { return x.ops().mish(x); }
inline Tensor softplus(const Tensor& x) { return x.ops().softplus(x); }
inline Tensor tanh(const Tensor& x) { return x.ops().tanh(x); }
inline Tensor sigmoid(const Tensor& x) { return x.ops().sigmoid(x); }

}  // namespace v0
}  // namespace broch
