// runner_test.cpp: graphs are computed as programs, for any sizes and on several threads.
#include "graph/runner.hpp"

#include <atomic>
#include <thread>

#include "example.hpp"
#include "fixture.hpp"

using namespace broch;
using namespace broch::graph_test;
using runtime::backend;
using runtime::floats;
using runtime::numbers;
using runtime::Tensor;

namespace {

using graph_test::kBias;
using graph_test::kWeights;

std::vector<Tensor> weights() { return {floats(kWeights, {2, 3}), floats(kBias, {2})}; }

Tensor input(int64_t batch, float first) {
  std::vector<float> values;
  for (int64_t i = 0; i < batch * 3; ++i) values.push_back(first + float(i % 7));
  return floats(values, {batch, 3});
}
void check(graph::Runner& runner, const Tensor& x) {
  const std::vector<Tensor> outputs = runner.run(std::vector{x});
  const std::vector<double> y = graph_test::by_hand(numbers(x));
  REQUIRE(outputs.size() == 2);
  CHECK(numbers(outputs[0]) == y);
  std::vector<double> half = y;
  for (double& one : half) one /= 2;
  CHECK(numbers(outputs[1]) == half);
  CHECK(runtime::shape_of(outputs[1]) == std::vector<int64_t>{int64_t(y.size())});
}

// Half of the positive elements of x (B, width), and all of them, which nobody wants.
graph::Graph wide(int64_t width, int64_t least) {
  using graph::Argument;
  graph::Graph graph;
  graph.symbols = {"B"};
  graph.least = {least};
  graph.operators = {"aten::relu(Tensor self) -> Tensor",
                     "aten::mul.Scalar(Tensor self, Scalar other) -> Tensor"};
  graph.inputs = {"x"};
  graph.nodes = {{0, {value(0)}, {1}},
                 {1, {value(1), {.kind = Argument::Kind::floating, .floats = {0.5}}}, {2}}};
  graph.outputs = {{"half", 2}, {"all", 1}};
  graph.types.assign(3, {BROCH_FLOAT32, {symbol(0), width}});
  return graph;
}

class Half final : public graph::Results {
 public:
  void* place(size_t output, broch_dtype, const runtime::Shape& shape) override {
    if (output != 0) return nullptr;
    values.resize(size_t(shape.elements()));
    return values.data();
  }
  std::vector<float> values;
};

}  // namespace

TEST_CASE("runner: a large batch in pieces, of which none is too small") {
  constexpr int64_t kWidth = 32768;  // so that two examples fit
  std::vector<float> x(5 * kWidth);
  for (size_t i = 0; i < x.size(); ++i) x[i] = float(i % 1009) - 500;
  runtime::TensorInfo info{BROCH_FLOAT32, {}, {}, false};
  info.shape.rank = 2;
  for (const int64_t least : {1, 2}) {
    const graph::Graph graph = wide(kWidth, least);
    graph::Runner runner(backend(), graph, {}, {});
    for (const int64_t batch : {5, 2, 5}) {
      info.shape.dims[0] = batch;
      info.shape.dims[1] = kWidth;
      const void* const data = x.data();
      Half half;
      runner.run(std::span(&info, 1), &data, half);
      REQUIRE(half.values.size() == size_t(batch * kWidth));
      for (size_t i = 0; i < half.values.size(); ++i)
        if (half.values[i] != std::max(0.0F, x[i]) / 2) FAIL("element " << i);
    }
    const auto computes = [&](const char* size) { return runtime::has(runner.text(), size); };
    CHECK_FALSE(computes("B = 5"));
    CHECK(computes("B = 2"));
    CHECK(computes(least == 1 ? "B = 1" : "B = 3"));
  }
}

TEST_CASE("runner: any size of the batch, eagerly and as programs") {
  const graph::Graph graph = example();
  for (const bool eager : {true, false}) {
    graph::Runner runner(backend(), graph, weights(),
                         {.level = runtime::Level::bitwise, .eager = eager, .most_shapes = 2});
    for (int round = 0; round < 3; ++round)
      for (const int64_t batch : {1, 4, 9}) check(runner, input(batch, float(round)));
    CHECK((runner.text().find("B = 9") != std::string::npos));
    CHECK((runner.text().find("B = 1\n") == std::string::npos));  // forgotten
    CHECK((runner.text().find("aten::") != std::string::npos) == !eager);
  }
}

TEST_CASE("runner: the results have memory of their own") {
  const graph::Graph graph = example();
  graph::Runner runner(backend(), graph, weights(), {});
  const Tensor x = input(2, 1);
  const std::vector<Tensor> first = runner.run(std::vector{x});
  const std::vector<double> before = numbers(first[0]);
  for (int i = 0; i < 3; ++i) runner.run(std::vector{input(2, 5)});
  CHECK(numbers(first[0]) == before);
}

TEST_CASE("runner: a model that draws random numbers is a program, with others in each call") {
  using graph::Argument;
  graph::Graph graph;
  graph.symbols = {"B"};
  graph.least = {1};
  graph.operators = {"aten::dropout(Tensor input, float p, bool train) -> Tensor"};
  graph.inputs = {"x"};
  graph.nodes = {{0,
                  {value(0),
                   {.kind = Argument::Kind::floating, .floats = {0.5}},
                   {.kind = Argument::Kind::boolean, .integers = {1}}},
                  {1}}};
  graph.outputs = {{"y", 1}};
  graph.types.assign(2, {BROCH_FLOAT32, {symbol(0), 3}});
  graph::Runner runner(backend(), graph, {}, {});
  const auto drawn = [&] { return numbers(runner.run(std::vector{input(32, 1)})[0]); };
  const std::vector<double> first = drawn();
  CHECK(drawn() != first);
  CHECK(runtime::has(runner.text(), "aten::"));
}

TEST_CASE("runner: many threads get their own results") {
  const graph::Graph graph = example();
  graph::Runner runner(backend(), graph, weights(), {.most_shapes = 2});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 50; ++i) {
        const Tensor x = input(1 + (thread + i) % 3, float(thread));
        const std::vector<Tensor> outputs = runner.run(std::vector{x});
        wrong += numbers(outputs[0]) != graph_test::by_hand(numbers(x));
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("runner: operators that are missing are named, all of them") {
  graph::Graph graph = example();
  graph.operators[0] = "aten::liner(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor";
  graph.operators[1] = "mine::relu(Tensor self) -> Tensor";
  const std::string text =
      runtime::error_of([&] { graph::Runner(backend(), graph, weights(), {}); });
  CHECK_MESSAGE(runtime::has(text, "2 that this LibTorch does not have"), text);
  CHECK(runtime::has(text, "'aten::liner'"));
  CHECK(runtime::has(text, "'mine::relu'"));
}

TEST_CASE("runner: an output that is not what the graph says is refused before it is copied") {
  graph::Graph graph = example();
  graph.types[4].shape[1] = 1;
  for (const bool eager : {true, false}) {
    graph::Runner runner(backend(), graph, weights(), {.eager = eager});
    const std::string text = runtime::error_of([&] { runner.run(std::vector{input(4, 1)}); });
    CHECK_MESSAGE(runtime::has(text, "output 'y': float32 (4, 2), expected float32 (4, 1)"), text);
  }
}
