// example.hpp: y = relu(linear(x, w, b)) for x (B, 3), and its sum over the batch.
#pragma once
#include "graph/graph.hpp"

namespace broch::graph_test {

inline graph::Argument value(int number) {
  return {.kind = graph::Argument::Kind::value, .values = {number}};
}
inline graph::Argument integers(std::vector<graph::Number> numbers) {
  return {.kind = graph::Argument::Kind::integers, .integers = std::move(numbers)};
}
// A symbol alone.
inline graph::Number symbol(uint32_t number) {
  graph::Number size;
  size.terms = {{1, {number}}};
  return size;
}

inline graph::Graph example() {
  using graph::Argument;
  using graph::Number;
  const Number batch = symbol(0);
  graph::Graph graph;
  graph.symbols = {"B"};
  graph.least = {1};
  graph.operators = {"aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
                     "aten::relu(Tensor self) -> Tensor",
                     "aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)",
                     "aten::mul.Scalar(Tensor self, Scalar other) -> Tensor"};
  graph.inputs = {"x"};
  graph.weights = {"fc/W", "fc/b"};
  Number twice = batch;
  twice.terms[0].factor = 2;
  graph.nodes = {{0, {value(0), value(1), value(2)}, {3}},
                 {1, {value(3)}, {4}},
                 {2, {value(4), integers({twice})}, {5}},
                 {3, {value(5), {.kind = Argument::Kind::floating, .floats = {0.5}}}, {6}}};
  graph.outputs = {{"y", 4}, {"half", 6}};
  graph.types = {{BROCH_FLOAT32, {batch, 3}}, {BROCH_FLOAT32, {2, 3}},     {BROCH_FLOAT32, {2}},
                 {BROCH_FLOAT32, {batch, 2}}, {BROCH_FLOAT32, {batch, 2}}, {BROCH_FLOAT32, {twice}},
                 {BROCH_FLOAT32, {twice}}};
  return graph;
}

}  // namespace broch::graph_test
