// bundles.hpp: graphs that are written by hand.
#pragma once
#include "bundle/bundle.hpp"
#include "example.hpp"
#include "fixture.hpp"

namespace broch::serve_test {

using graph_test::kBias;
using graph_test::kWeights;
constexpr int kProducts = 200;

inline void linear(const std::string& file) {
  graph::Graph graph = graph_test::example();
  graph.nodes.resize(2);
  graph.types.resize(5);
  graph.outputs.resize(1);
  bundle::write(file, runtime::backend(),
                {graph, {runtime::floats(kWeights, {2, 3}), runtime::floats(kBias, {2})}, {}});
}

inline void lookup(const std::string& file) {
  const graph::Number batch = graph_test::symbol(0);
  graph::Graph graph;
  graph.symbols = {"B"};
  graph.least = {1};
  graph.operators = {
      "aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool "
      "scale_grad_by_freq=False, bool sparse=False) -> Tensor"};
  graph.inputs = {"index"};
  graph.weights = {"table"};
  using graph::Argument;
  const Argument no{.kind = Argument::Kind::boolean, .integers = {0}};
  graph.nodes = {{0,
                  {graph_test::value(1),
                   graph_test::value(0),
                   {.kind = Argument::Kind::integer, .integers = {-1}},
                   no,
                   no},
                  {2}}};
  graph.outputs = {{"rows", 2}};
  graph.types = {
      {BROCH_INT64, {batch, 1}}, {BROCH_FLOAT32, {5, 2}}, {BROCH_FLOAT32, {batch, 1, 2}}};
  bundle::write(file, runtime::backend(),
                {graph, {runtime::floats({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {5, 2})}, {}});
}

inline void products(const std::string& file) {
  bundle::write(file, runtime::backend(), {graph_test::products(kProducts), {}, {}});
}

}  // namespace broch::serve_test
