// sequences.hpp: layers for sequences, (N, T, D): N sequences of T steps with D numbers each. The
// layout of the weights and the order of the gates are those of torch.nn.
#pragma once
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "layers.hpp"

namespace broch {
inline namespace v0 {

struct EmbeddingOptions {
  int64_t rows = 0;   // indices are 0 to rows - 1
  int64_t width = 0;  // length of a row
  Init weight = Init::normal(0, 1);
};

// Looks up rows of a table. indices: int64 or int32 of any shape (…). Returns (…, width). Variable
// W (rows, width).
inline Tensor embedding(Tower& t, const std::string& name, const Tensor& indices,
                        const EmbeddingOptions& options) {
  const glue::Checked checked(t, "embedding", name);
  checked.given("indices", indices, "int64");
  const broch_dtype dtype = t.dtype(indices);
  if (dtype != BROCH_INT64 && dtype != BROCH_INT32)
    checked.refuse(checked.is("indices", indices), "int64");
  checked.at_least("rows", options.rows, 1);
  checked.at_least("width", options.width, 1);
  const auto scope = t.scope(name);
  const Tensor w = t.variable("W", {options.rows, options.width}, options.weight).value;
  return glue::finish(t, t.ops().embedding(w, indices), nullptr);
}

struct LayerNormOptions {
  uint32_t dims = 1;  // number of last dimensions that are normalised together
  double epsilon = 1e-5;
  bool use_scale = true, use_bias = true;
};

// Layer normalisation. x: floating-point (…, D). Returns the same shape. Variables gamma, beta,
// with the shape of the dimensions that are normalised.
inline Tensor layer_norm(Tower& t, const std::string& name, const Tensor& x,
                         const LayerNormOptions& options = {}) {
  const glue::Checked checked(t, "layer_norm", name);
  const std::vector<int64_t> all = checked.ranks("x", x, 1, BROCH_RANK_MAX, "(..., D)");
  checked.floating("x", x);
  if (options.dims < 1 || options.dims > all.size())
    checked.refuse("dims is " + std::to_string(options.dims) + " and " + checked.is("x", x),
                   "1 to " + std::to_string(all.size()));
  if (!(options.epsilon >= 0))
    checked.refuse("epsilon is " + std::to_string(options.epsilon), "0 or more");
  const auto scope = t.scope(name);
  const std::vector<int64_t> shape(all.end() - options.dims, all.end());
  Tensor gamma, beta;
  if (options.use_scale) gamma = t.variable("gamma", shape, Init::constant(1)).value;
  if (options.use_bias) beta = t.variable("beta", shape, Init::constant(0)).value;
  return glue::finish(t, t.ops().layer_norm(x, shape, gamma, beta, options.epsilon), nullptr);
}

struct RecurrentOptions {
  int64_t units = 0;
  bool use_bias = true;
  std::optional<Init> weight;  // for all variables; none: uniform in ±1 / sqrt(units)
};

namespace glue {

// The variables of a recurrent layer, made once and used in every step: W_ih (gates * units,
// inputs), W_hh (gates * units, units), b_ih, b_hh (gates * units).
struct Recurrent {
  Recurrent(Tower& t, const char* kind, const std::string& name, int64_t columns,
            const RecurrentOptions& options, int64_t gates)
      : tower(t), checked(t, kind, name), inputs(columns), units(options.units) {
    checked.at_least("units", units, 1);
    checked.at_least("inputs", inputs, 1);
    const double limit = 1 / std::sqrt(double(units));
    const Init init = options.weight.value_or(Init::uniform(-limit, limit));
    const auto scope = t.scope(name);
    w_ih = t.variable("W_ih", {gates * units, inputs}, init).value;
    w_hh = t.variable("W_hh", {gates * units, units}, init).value;
    if (!options.use_bias) return;
    b_ih = t.variable("b_ih", {gates * units}, init).value;
    b_hh = t.variable("b_hh", {gates * units}, init).value;
  }
  // Zeros (N, units), with N and dtype of x (N, inputs).
  Tensor zeros(const Tensor& x) const {
    return tower.ops().zeros({rows(x), units}, tower.dtype(x));
  }
  // The N of x (N, inputs), after checking x.
  int64_t rows(const Tensor& x) const {
    checked.given("x", x, "(N, inputs)");
    const std::vector<int64_t> shape = checked.rank("x", x, 2, "(N, inputs)");
    checked.float32("x", x);
    if (shape[1] != inputs)
      checked.refuse(checked.is("x", x), "(N, inputs) with " + std::to_string(inputs) + " inputs");
    return shape[0];
  }
  void require_state(const char* what, const Tensor& x, const Tensor& state) const {
    checked.shape(what, state, {rows(x), units});
  }

  Tower& tower;
  Checked checked;
  int64_t inputs, units;
  Tensor w_ih, w_hh, b_ih, b_hh;
};

}  // namespace glue

// One step of a recurrent layer: x (N, inputs) and the state before the step give the state after
// it. Make the object in the tower function, and do not keep it longer than the call.
class RnnCell {
 public:
  using State = Tensor;  // h (N, units)
  RnnCell(Tower& t, const std::string& name, int64_t inputs, const RecurrentOptions& options)
      : own_(t, "RnnCell", name, inputs, options, 1) {}
  State start(const Tensor& x) const { return own_.zeros(x); }
  // h' = tanh(W_ih x + b_ih + W_hh h + b_hh)
  State operator()(const Tensor& x, const State& h) const {
    own_.require_state("h", x, h);
    return own_.tower.ops().rnn_tanh_cell(x, h, own_.w_ih, own_.w_hh, own_.b_ih, own_.b_hh);
  }
  static const Tensor& output(const State& h) { return h; }

 private:
  glue::Recurrent own_;
};

// A gated recurrent unit (Cho et al. 2014), with gates reset, update, new.
class GruCell {
 public:
  using State = Tensor;  // h (N, units)
  GruCell(Tower& t, const std::string& name, int64_t inputs, const RecurrentOptions& options)
      : own_(t, "GruCell", name, inputs, options, 3) {}
  State start(const Tensor& x) const { return own_.zeros(x); }
  State operator()(const Tensor& x, const State& h) const {
    own_.require_state("h", x, h);
    return own_.tower.ops().gru_cell(x, h, own_.w_ih, own_.w_hh, own_.b_ih, own_.b_hh);
  }
  static const Tensor& output(const State& h) { return h; }

 private:
  glue::Recurrent own_;
};

// Long short-term memory (Hochreiter and Schmidhuber 1997), with gates input, forget, cell, output.
class LstmCell {
 public:
  using State = std::array<Tensor, 2>;  // h and c, (N, units) each
  LstmCell(Tower& t, const std::string& name, int64_t inputs, const RecurrentOptions& options)
      : own_(t, "LstmCell", name, inputs, options, 4) {}
  State start(const Tensor& x) const { return {own_.zeros(x), own_.zeros(x)}; }
  State operator()(const Tensor& x, const State& state) const {
    own_.require_state("h", x, state[0]);
    own_.require_state("c", x, state[1]);
    return own_.tower.ops().lstm_cell(x, {state[0], state[1]}, own_.w_ih, own_.w_hh, own_.b_ih,
                                      own_.b_hh);
  }
  static const Tensor& output(const State& state) { return state[0]; }

 private:
  glue::Recurrent own_;
};

template <class Cell>
struct Unrolled {
  Tensor outputs;  // (N, T, units), published as "{name}/output"
  // The state after the last step.
  typename Cell::State last;
};

// Applies a cell, as in unroll<LstmCell>(t, "lstm", x, {128}), to each step of x, which is float32
// (N, T, inputs) with T at least 1. start: the state before the first step; zeros if not given. T
// is part of the shape, so the tower is recorded once for each T that occurs.
template <class Cell>
Unrolled<Cell> unroll(Tower& t, const std::string& name, const Tensor& x,
                      const RecurrentOptions& options,
                      std::optional<typename Cell::State> start = std::nullopt) {
  const glue::Checked checked(t, "unroll", name);
  const std::vector<int64_t> shape = checked.rank("x", x, 3, "(N, T, inputs)");
  if (shape[1] == 0) checked.refuse(checked.is("x", x), "sequences of a step or more");
  const Cell cell(t, name, shape[2], options);
  std::vector<Tensor> outputs;
  std::optional<typename Cell::State> state = std::move(start);
  for (int64_t step = 0; step < shape[1]; ++step) {
    const Tensor now = t.ops().select(x, 1, step);
    state = cell(now, state ? *state : cell.start(now));
    outputs.push_back(Cell::output(*state));
  }
  return {glue::output(t, name, t.ops().stack(outputs, 1)), *state};
}

struct AttentionOptions {
  int64_t heads = 1;    // must divide D
  bool causal = false;  // a step does not see later ones
  double dropout = 0;   // of the attention weights, in training
  Init weight = Init::glorot_uniform();
};

// Multi-head attention (Vaswani et al. 2017). Queries come from x, float32 (N, T, D); keys and
// values from memory, float32 (N, S, M), or from x if memory is not given. Returns (N, T, D).
// Layers query, key, value and out, each with variables W and b.
inline Tensor multi_head_attention(Tower& t, const std::string& name, const Tensor& x,
                                   const AttentionOptions& options, Tensor memory = {}) {
  const glue::Checked checked(t, "multi_head_attention", name);
  const std::vector<int64_t> shape = checked.rank("x", x, 3, "(N, T, D)");
  checked.float32("x", x);
  if (!memory) memory = x;
  const std::vector<int64_t> of_memory = checked.rank("memory", memory, 3, "(N, S, M)");
  checked.float32("memory", memory);
  const int64_t rows = shape[0], steps = shape[1], width = shape[2];
  if (of_memory[0] != rows)
    checked.refuse(checked.is("memory", memory) + " and " + checked.is("x", x), "one N in both");
  checked.at_least("heads", options.heads, 1);
  const int64_t each = width / options.heads;
  if (each * options.heads != width)
    checked.refuse(std::to_string(options.heads) + " heads and " + checked.is("x", x),
                   "heads that divide " + std::to_string(width));
  checked.rate("dropout", options.dropout);
  const auto scope = t.scope(name);
  Ops& ops = t.ops();
  const auto linear = [&](const std::string& part, const Tensor& from) {
    const auto inner = t.scope(part);
    const Tensor w = t.variable("W", {width, t.size(from, 2)}, options.weight).value;
    return ops.linear(from, w, t.variable("b", {width}, Init::constant(0)).value);
  };
  const auto headed = [&](const Tensor& y) {  // (N, heads, steps, each)
    return ops.transpose(ops.reshape(y, {rows, t.size(y, 1), options.heads, each}), 1, 2);
  };
  const Tensor q = headed(linear("query", x)), k = headed(linear("key", memory)),
               v = headed(linear("value", memory));
  Tensor y;
  if (options.dropout == 0 || !t.is_training()) {
    y = ops.scaled_dot_product_attention(q, k, v, {}, 0.0, options.causal);
  } else {
    Tensor scores = ops.matmul(q, ops.transpose(k, 2, 3)) * Scalar(1 / std::sqrt(double(each)));
    if (options.causal) {
      const Tensor later = ops.triu(ops.ones({steps, of_memory[1]}, t.dtype(scores)), 1);
      scores = ops.masked_fill(scores, ops.gt_scalar(later, 0), Scalar(-INFINITY));
    }
    y = ops.matmul(dropout(t, "weights", ops.softmax(scores, -1), options.dropout), v);
  }
  y = ops.reshape(ops.transpose(y, 1, 2), {rows, steps, width});
  return glue::finish(t, linear("out", y), nullptr);
}

}  // namespace v0
}  // namespace broch
