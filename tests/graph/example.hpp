// example.hpp: graphs that are written by hand, and what the first of them computes.
#pragma once
#include <algorithm>
#include <vector>

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

// y = relu(linear(x, w, b)) for x (B, 3), and half of it as a vector.
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
inline const std::vector<float> kWeights = {1, 2, 3, -1, 0, 1}, kBias = {0.5, -0.5};

// y of the example with these weights. x: rows of 3.
template <class T>
std::vector<T> by_hand(const std::vector<T>& x) {
  std::vector<T> y;
  for (size_t row = 0; row < x.size(); row += 3)
    for (size_t unit = 0; unit < 2; ++unit) {
      T sum = kBias[unit];
      for (size_t k = 0; k < 3; ++k) sum += x[row + k] * kWeights[3 * unit + k];
      y.push_back(std::max(T(0), sum));
    }
  return y;
}

// A product of so many matrices x (N, N), which takes long.
inline graph::Graph products(int count) {
  const graph::Number n = symbol(0);
  graph::Graph graph;
  graph.symbols = {"N"};
  graph.least = {1};
  graph.operators = {"aten::mm(Tensor self, Tensor mat2) -> Tensor"};
  graph.inputs = {"x"};
  graph.types = {{BROCH_FLOAT32, {n, n}}};
  for (int i = 0; i < count; ++i) {
    graph.nodes.push_back({0, {value(i), value(0)}, {i + 1}});
    graph.types.push_back({BROCH_FLOAT32, {n, n}});
  }
  graph.outputs = {{"y", count}};
  return graph;
}

}  // namespace broch::graph_test
