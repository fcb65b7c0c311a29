// recurrent.hpp: recurrent layers for sequences, (N, T, D): N sequences of T steps with D numbers
// each. The layout of the weights and the order of the gates are those of torch.nn.
#pragma once
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "layer.hpp"

namespace broch {
inline namespace v0 {

struct RecurrentOptions {
  int64_t units = 0;
  bool use_bias = true;
  std::optional<Init> weight;  // none: uniform in ±1 / sqrt(units)
  // torch: weight_ih_lK and so on, K = number; of a reverse layer weight_ih_lK_reverse.
  Names names = Names::tensorpack;
  int64_t number = 0;        // of this layer among those that share a name
  bool reverse = false;      // from the last step to the first
  std::optional<Init> bias;  // none: as weight
};

namespace glue {

// "l0", "l1_reverse": a layer among those that share a name.
inline std::string place_of(const RecurrentOptions& options) {
  return std::string("l").append(std::to_string(options.number)) +
         (options.reverse ? "_reverse" : "");
}
// What the place adds to names of tensorpack and of results: nothing for "l0".
inline std::string suffix_of(const RecurrentOptions& options) {
  return options.number || options.reverse ? std::string("_").append(place_of(options)) : "";
}

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
    const LayerScope layer(t, name, options.names);
    const auto variable = [&](const std::string& own, const std::string& torch,
                              const std::vector<int64_t>& shape, const Init& first) {
      return layer
          .variable((own + suffix_of(options)).c_str(), (torch + place_of(options)).c_str(), shape,
                    first)
          .value;
    };
    w_ih = variable("W_ih", "weight_ih_", {gates * units, inputs}, init);
    w_hh = variable("W_hh", "weight_hh_", {gates * units, units}, init);
    if (!options.use_bias) return;
    const Init bias = options.bias.value_or(init);
    b_ih = variable("b_ih", "bias_ih_", {gates * units}, bias);
    b_hh = variable("b_hh", "bias_hh_", {gates * units}, bias);
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
  // (N, T, units), in the order of the steps; published as "{name}/output", or as
  // "{name}_l1/output" for number 1 and "{name}_l0_reverse/output" for a reverse layer.
  Tensor outputs;
  // The state after the last step that was computed.
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
  std::vector<Tensor> outputs(static_cast<size_t>(shape[1]));
  std::optional<typename Cell::State> state = std::move(start);
  for (int64_t i = 0; i < shape[1]; ++i) {
    const int64_t step = options.reverse ? shape[1] - 1 - i : i;
    const Tensor now = t.ops().select(x, 1, step);
    state = cell(now, state ? *state : cell.start(now));
    outputs[static_cast<size_t>(step)] = Cell::output(*state);
  }
  return {glue::output(t, name + glue::suffix_of(options), t.ops().stack(outputs, 1)), *state};
}

}  // namespace v0
}  // namespace broch
