// transformer.hpp: a block of a transformer.
#pragma once
#include "attention.hpp"
#include "norms.hpp"

namespace broch {
inline namespace v0 {

struct TransformerBlockOptions {
  AttentionOptions attention;  // its names are those of the block
  int64_t hidden = 0;          // units between the two linear maps; 0: 4 D
  Activation activation = gelu;
  // Multiplies the activated units with those of a third linear map (Shazeer 2020); with silu this
  // is SwiGLU.
  bool gated = false;
  bool rms = false;  // rms_norm instead of layer_norm
  double epsilon = 1e-5;
  bool pre_norm = true;  // false: normalize after each sum, as in the first transformers
  double dropout = 0;    // of what the two halves add, in training
  bool use_bias = true;
  Init weight = Init::glorot_uniform();  // of the linear maps outside of the attention
  Names names = Names::tensorpack;
};

namespace glue {

inline Tensor block_norm(Tower& t, const std::string& name, const Tensor& x,
                         const TransformerBlockOptions& options) {
  if (options.rms) {
    RmsNormOptions norm;
    norm.epsilon = options.epsilon;
    norm.names = options.names;
    return rms_norm(t, name, x, norm);
  }
  LayerNormOptions norm;
  norm.epsilon = options.epsilon;
  norm.use_bias = options.use_bias;
  norm.names = options.names;
  return layer_norm(t, name, x, norm);
}

inline Tensor block_mlp(Tower& t, const LayerScope& block, const Tensor& x,
                        const TransformerBlockOptions& options) {
  FullyConnectedOptions inner;
  inner.units = options.hidden ? options.hidden : 4 * t.size(x, 2);
  inner.use_bias = options.use_bias;
  inner.weight = options.weight;
  inner.names = options.names;
  FullyConnectedOptions outer = inner;
  outer.units = t.size(x, 2);
  Tensor y = activated(linear(t, block.inner("linear1", "linear1"), x, inner), options.activation);
  if (options.gated) y = y * linear(t, block.inner("gate", "gate"), x, inner);
  return linear(t, block.inner("linear2", "linear2"), y, outer);
}

}  // namespace glue

// A block of a transformer: attention, then two linear maps, each added to its input.
//   x = x + attention(norm1(x));  x = x + linear2(activation(linear1(norm2(x))))
// x: float32 (N, T, D). Returns the same shape. With a memory, float32 (N, S, M), keys and values
// come from it. The names are those of torch.nn.TransformerEncoderLayer.
inline Tensor transformer_block(Tower& t, const std::string& name, const Tensor& x,
                                const TransformerBlockOptions& options, const Tensor& memory = {}) {
  const glue::Checked checked(t, "transformer_block", name);
  checked.rank("x", x, 3, "(N, T, D)");
  checked.float32("x", x);
  checked.at_least("hidden", options.hidden, 0);
  checked.rate("dropout", options.dropout);
  const glue::LayerScope block(t, name, options.names);
  AttentionOptions attention = options.attention;
  attention.names = options.names;
  const auto dropped = [&](const char* part, const Tensor& y) {
    return options.dropout == 0 ? y : dropout(t, block.inner(part, part), y, options.dropout);
  };
  const auto attended = [&](const Tensor& y) {
    return dropped("dropout1", multi_head_attention(t, block.inner("attention", "self_attn"), y,
                                                    attention, memory));
  };
  const auto mapped = [&](const Tensor& y) {
    return dropped("dropout2", glue::block_mlp(t, block, y, options));
  };
  const auto norm = [&](const char* part, const Tensor& y) {
    return glue::block_norm(t, block.inner(part, part), y, options);
  };
  if (!options.pre_norm) {
    const Tensor y = norm("norm1", x + attended(x));
    return block.finish(norm("norm2", y + mapped(y)));
  }
  const Tensor y = x + attended(norm("norm1", x));
  return block.finish(y + mapped(norm("norm2", y)));
}

}  // namespace v0
}  // namespace broch
