// fit_test.cpp: graphs of several sizes as one.
#include "fit.hpp"

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "example.hpp"

using namespace broch;
using namespace broch::graph_test;
using capture::Sample;
using graph::Graph;
using graph::Number;

namespace {

// A view with these sizes of an input (B, T).
Graph sample(std::vector<int64_t> sizes, std::vector<int64_t> shape) {
  Graph graph;
  graph.operators = {"aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)"};
  graph.inputs = {"x"};
  std::vector<Number> numbers(shape.begin(), shape.end());
  graph.nodes = {{0, {value(0), integers(numbers)}, {1}}};
  graph.outputs = {{"y", 1}};
  graph.types = {{BROCH_FLOAT32, {sizes[0], sizes[1]}}, {BROCH_FLOAT32, numbers}};
  return graph;
}

template <class Shape>
std::vector<Sample> samples(Shape shape) {
  std::vector<Sample> all;
  for (const std::vector<int64_t>& sizes : capture::sizes_of_samples({3, 5}))
    all.push_back({sizes, sample(sizes, shape(sizes[0], sizes[1]))});
  return all;
}

}  // namespace

TEST_CASE("fit: numbers become sums of products of sizes") {
  const auto shape = [](int64_t b, int64_t t) {
    return std::vector<int64_t>{b * t, 4, 2 * b + 1, b * t - 3 * t + 7, -t};
  };
  const Graph graph = capture::fitted({"B", "T"}, samples(shape), "tower");
  const std::vector<Number>& sizes = graph.nodes[0].arguments[1].integers;
  CHECK(sizes[0].text(graph.symbols) == "B * T");
  CHECK(sizes[1] == Number(4));
  CHECK(sizes[2].text(graph.symbols) == "1 + 2 * B");
  CHECK(sizes[3].text(graph.symbols) == "7 + -3 * T + B * T");
  CHECK(sizes[4].text(graph.symbols) == "-1 * T");
  CHECK(graph.types[0].shape[1].text(graph.symbols) == "T");
  CHECK(capture::difference(graph, {{9, 2}, sample({9, 2}, shape(9, 2))}).empty());
  CHECK(capture::difference(graph, {{9, 2}, sample({9, 2}, shape(9, 3))})
            .find("a number is 27 instead of B * T = 18") != std::string::npos);
}

TEST_CASE("fit: other operators or fractions that follow from sizes are refused") {
  const auto shape = [](int64_t b, int64_t t) { return std::vector<int64_t>{b, t}; };
  const auto refusal = [&](auto change) {
    std::vector<Sample> all = samples(shape);
    change(all[2].graph);
    try {
      capture::fitted({"B", "T"}, all, "tower");
    } catch (const base::Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal([](Graph&) {}).empty());
  CHECK(refusal([](Graph& graph) {
          graph.operators[0] = "aten::reshape(…)";
        }).find("operator 1, aten::view: another operator") != std::string::npos);
  CHECK(refusal([](Graph& graph) {
          graph.nodes.push_back(graph.nodes[0]);
        }).find("1 and 2 operators") != std::string::npos);
  CHECK(refusal([](Graph& graph) {
          graph.nodes[0].arguments.push_back(
              {.kind = graph::Argument::Kind::floating, .floats = {0.5}});
        }).find("other tensors") != std::string::npos);
  CHECK(refusal([](Graph& graph) { graph.inputs[0] = "z"; }).find("other inputs") !=
        std::string::npos);
}
