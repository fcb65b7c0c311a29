// attention.hpp: multi-head attention.
#pragma once
#include <cmath>

#include "dropout.hpp"
#include "linear.hpp"
#include "rotary.hpp"

namespace broch {
inline namespace v0 {

struct AttentionOptions {
  int64_t heads = 1;    // must divide D
  bool causal = false;  // a step does not see later ones
  double dropout = 0;   // of the attention weights, in training
  Init weight = Init::glorot_uniform();
  // Heads of keys and values, a divisor of heads: each serves heads / kv_heads heads of queries
  // (grouped-query attention, Ainslie et al. 2023). 0: as many as heads.
  int64_t kv_heads = 0;
  bool use_bias = true;
  std::optional<RotaryOptions> rotary;  // turns queries and keys; not with a memory
  // torch: in_proj_weight, in_proj_bias, out_proj.weight, out_proj.bias of
  // torch.nn.MultiheadAttention. With kv_heads, or a memory of another width, which have no one
  // projection: q_proj.weight, k_proj.weight, v_proj.weight, o_proj.weight and biases, as in Llama.
  Names names = Names::tensorpack;
};

namespace glue {

// What attention computes with: the sizes, after all arguments have been checked.
struct AttentionSizes {
  int64_t rows, steps, width, of_memory, heads, kv_heads, each;
};
inline AttentionSizes attention_sizes(const Checked& checked, const Tensor& x, const Tensor& memory,
                                      bool has_memory, const AttentionOptions& options) {
  const std::vector<int64_t> shape = checked.rank("x", x, 3, "(N, T, D)");
  checked.float32("x", x);
  const std::vector<int64_t> of_memory = checked.rank("memory", memory, 3, "(N, S, M)");
  checked.float32("memory", memory);
  if (of_memory[0] != shape[0])
    checked.refuse(checked.is("memory", memory) + " and " + checked.is("x", x), "one N in both");
  checked.at_least("heads", options.heads, 1);
  checked.at_least("kv_heads", options.kv_heads, 0);
  const int64_t width = shape[2], each = width / options.heads;
  if (each * options.heads != width)
    checked.refuse(std::to_string(options.heads) + " heads and " + checked.is("x", x),
                   "heads that divide " + std::to_string(width));
  const int64_t kv_heads = options.kv_heads ? options.kv_heads : options.heads;
  if (options.heads % kv_heads)
    checked.refuse("kv_heads is " + std::to_string(kv_heads),
                   "a number that divides heads, " + std::to_string(options.heads));
  checked.rate("dropout", options.dropout);
  if (options.rotary && has_memory)
    checked.refuse("rotary and a memory", "one of them: steps of a memory have no positions here");
  return {shape[0], shape[1], width, of_memory[1], options.heads, kv_heads, each};
}

// Queries (N, T, heads * E), keys and values (N, S, kv_heads * E).
struct Projected {
  Tensor q, k, v;
};

// All three with one matrix, as torch.nn.MultiheadAttention has it.
inline Projected projected_together(Tower& t, const LayerScope& layer, const Tensor& x,
                                    const Tensor& memory, const AttentionOptions& options) {
  Ops& ops = t.ops();
  const int64_t d = t.size(x, 2);
  const Tensor w = layer.variable("", "in_proj_weight", {3 * d, d}, options.weight).value;
  Tensor b;
  if (options.use_bias) b = layer.variable("", "in_proj_bias", {3 * d}, Init::constant(0)).value;
  const auto part = [&](const Tensor& from, int64_t i) {
    return ops.linear(from, ops.narrow(w, 0, i * d, d), b ? ops.narrow(b, 0, i * d, d) : b);
  };
  return {part(x, 0), part(memory, 1), part(memory, 2)};
}
inline Projected projected_apart(Tower& t, const LayerScope& layer, const Tensor& x,
                                 const Tensor& memory, const AttentionOptions& options,
                                 const AttentionSizes& sizes) {
  const auto part = [&](const char* tensorpack, const char* torch, const Tensor& from,
                        int64_t units) {
    const LayerScope inner(t, layer.inner(tensorpack, torch), layer.names());
    const WeightAndBias w =
        weight_and_bias(inner, {units, t.size(from, 2)}, options.weight, units, options.use_bias);
    return t.ops().linear(from, w.weight, w.bias);
  };
  const int64_t units = sizes.kv_heads * sizes.each;
  return {part("query", "q_proj", x, sizes.width), part("key", "k_proj", memory, units),
          part("value", "v_proj", memory, units)};
}

}  // namespace glue

struct DotProductOptions {
  bool causal = false;  // a step does not see later ones
  double dropout = 0;   // of the weights, in training
};

// Attention by head, softmax(q k^T / sqrt(E)) v, without variables. q: (N, heads, T, E); k, v: (N,
// heads, S, E). Returns (N, heads, T, E). name: of the dropout.
inline Tensor dot_product_attention(Tower& t, const std::string& name, const Tensor& q,
                                    const Tensor& k, const Tensor& v,
                                    const DotProductOptions& options = {}) {
  const glue::Checked checked(t, "dot_product_attention", name);
  const std::vector<int64_t> shape = checked.rank("q", q, 4, "(N, heads, T, E)");
  checked.rank("k", k, 4, "(N, heads, S, E)");
  checked.shape("v", v, t.shape(k));
  checked.shape("k", k, {shape[0], shape[1], t.size(k, 2), shape[3]});
  checked.rate("dropout", options.dropout);
  Ops& ops = t.ops();
  if (options.dropout == 0 || !t.is_training())
    return ops.scaled_dot_product_attention(q, k, v, {}, 0.0, options.causal);
  Tensor scores = ops.matmul(q, ops.transpose(k, 2, 3)) * Scalar(1 / std::sqrt(double(shape[3])));
  if (options.causal) {
    const Tensor later = ops.triu(ops.ones({shape[2], t.size(k, 2)}, t.dtype(scores)), 1);
    scores = ops.masked_fill(scores, ops.gt(later, Scalar(0)), Scalar(-INFINITY));
  }
  return ops.matmul(dropout(t, name, ops.softmax(scores, -1), options.dropout), v);
}

// Multi-head attention (Vaswani et al. 2017). Queries come from x, float32 (N, T, D); keys and
// values from memory, float32 (N, S, M), or from x if memory is not given. Returns (N, T, D).
// Layers query, key, value and out, each with variables W and b.
inline Tensor multi_head_attention(Tower& t, const std::string& name, const Tensor& x,
                                   const AttentionOptions& options, Tensor memory = {}) {
  const glue::Checked checked(t, "multi_head_attention", name);
  const bool has_memory = bool(memory);
  if (!has_memory) memory = x;
  const auto sizes = glue::attention_sizes(checked, x, memory, has_memory, options);
  const glue::LayerScope layer(t, name, options.names);
  Ops& ops = t.ops();
  const bool together =
      options.names == Names::torch && options.kv_heads == 0 && t.size(memory, 2) == sizes.width;
  const glue::Projected from = together
                                   ? glue::projected_together(t, layer, x, memory, options)
                                   : glue::projected_apart(t, layer, x, memory, options, sizes);
  const auto headed = [&](const Tensor& y, int64_t heads) {  // (N, heads, steps, E)
    return ops.transpose(ops.reshape(y, {sizes.rows, t.size(y, 1), heads, sizes.each}), 1, 2);
  };
  const auto shared = [&](const Tensor& y) {  // (N, kv_heads, S, E) to (N, heads, S, E)
    if (sizes.kv_heads == sizes.heads) return y;
    const int64_t group = sizes.heads / sizes.kv_heads, s = sizes.of_memory;
    const Tensor copies =
        ops.expand(ops.unsqueeze(y, 2), {sizes.rows, sizes.kv_heads, group, s, sizes.each});
    return ops.reshape(copies, {sizes.rows, sizes.heads, s, sizes.each});
  };
  Tensor q = headed(from.q, sizes.heads), k = headed(from.k, sizes.kv_heads);
  if (options.rotary) {
    q = rotary(t, layer.inner("rotary_query", "rotary_query"), q, *options.rotary);
    k = rotary(t, layer.inner("rotary_key", "rotary_key"), k, *options.rotary);
  }
  const Tensor v = headed(from.v, sizes.kv_heads);
  const Tensor by_head = dot_product_attention(t, layer.inner("weights", "weights"), q, shared(k),
                                               shared(v), {options.causal, options.dropout});
  const Tensor y =
      ops.reshape(ops.transpose(by_head, 1, 2), {sizes.rows, sizes.steps, sizes.width});
  const glue::LayerScope out(t, layer.inner("out", together ? "out_proj" : "o_proj"),
                             options.names);
  const glue::WeightAndBias w = glue::weight_and_bias(
      out, {sizes.width, sizes.width}, options.weight, sizes.width, options.use_bias);
  return layer.finish(ops.linear(y, w.weight, w.bias));
}

}  // namespace v0
}  // namespace broch
