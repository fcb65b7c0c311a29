// rotary.hpp: rotary position embedding.
#pragma once
#include <cmath>

#include "layer.hpp"

namespace broch {
inline namespace v0 {

struct RotaryOptions {
  double base = 10000;
  // false: pairs (i, i + E / 2), as in GPT-NeoX and Llama; true: pairs (2 i, 2 i + 1), as in the
  // paper and GPT-J.
  bool interleaved = false;
};

// Turns pairs of numbers by an angle that grows with the step: pair i of step t by
// t / base^(2 i / E) (Su et al. 2021). x: float32 (N, heads, T, E), E even. Returns the same shape.
inline Tensor rotary(Tower& t, const std::string& name, const Tensor& x,
                     const RotaryOptions& options = {}) {
  const glue::Checked checked(t, "rotary", name);
  const std::vector<int64_t> shape = checked.rank("x", x, 4, "(N, heads, T, E)");
  checked.float32("x", x);
  const int64_t steps = shape[2], half = shape[3] / 2;
  if (shape[3] % 2 || half == 0) checked.refuse(checked.is("x", x), "an even E");
  if (!(options.base > 0)) checked.refuse("base is " + std::to_string(options.base), "above 0");
  Ops& ops = t.ops();
  const Tensor rates =
      ops.exp(ops.arange(half, BROCH_FLOAT32) * Scalar(-std::log(options.base) / double(half)));
  const Tensor angles = ops.outer(ops.arange(steps, BROCH_FLOAT32), rates);  // (T, E / 2)
  const Tensor cosine = ops.cos(angles), sine = ops.sin(angles);
  if (options.interleaved) {
    const Tensor pairs = ops.reshape(x, {shape[0], shape[1], steps, half, 2});
    const Tensor a = ops.select(pairs, 4, 0), b = ops.select(pairs, 4, 1);
    const Tensor turned = ops.stack({a * cosine - b * sine, b * cosine + a * sine}, 4);
    return glue::output(t, name, ops.reshape(turned, shape));
  }
  const Tensor a = ops.narrow(x, 3, 0, half), b = ops.narrow(x, 3, half, half);
  return glue::output(t, name, ops.cat({a * cosine - b * sine, b * cosine + a * sine}, 3));
}

}  // namespace v0
}  // namespace broch
