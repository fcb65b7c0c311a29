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
  std::optional<Init> weight;       // for all variables; none: uniform in ±1 / sqrt(units)
  Names names = Names::tensorpack;  // torch: weight_ih_lK, bias_ih_lK and so on, K = number
  int64_t number = 0;               // torch: of this layer among those that share a name
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
    const LayerScope layer(t, name, options.names);
    const auto variable = [&](const char* own, const char* torch,
                              const std::vector<int64_t>& shape) {
      const std::string numbered = torch + std::to_string(options.number);
      return layer.variable(own, numbered.c_str(), shape, init).value;
    };
    w_ih = variable("W_ih", "weight_ih_l", {gates * units, inputs});
    w_hh = variable("W_hh", "weight_hh_l", {gates * units, units});
    if (!options.use_bias) return;
    b_ih = variable("b_ih", "bias_ih_l", {gates * units});
    b_hh = variable("b_hh", "bias_hh_l", {gates * units});
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
  Tensor
      outputs;  // (N, T, units), published as "{name}/output", or "{name}_l1/output" for number 1
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
  const std::string number = options.number ? "_l" + std::to_string(options.number) : "";
  return {glue::output(t, name + number, t.ops().stack(outputs, 1)), *state};
}

}  // namespace v0
}  // namespace broch
