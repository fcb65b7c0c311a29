// rows_test.cpp: which operators compute each example of a batch without the others.
#include "graph/rows.hpp"

#include <doctest/doctest.h>

#include "example.hpp"

using namespace broch;
using namespace broch::graph_test;
using graph::Argument;
using graph::Number;

namespace {

const Number kBatch = symbol(0), kLength = symbol(1);

Number times(int64_t factor, std::vector<uint32_t> symbols) {
  Number number;
  number.terms = {{factor, std::move(symbols)}};
  return number;
}
Argument integer(Number number) {
  return {.kind = Argument::Kind::integer, .integers = {std::move(number)}};
}
Argument flag(bool is_set) { return {.kind = Argument::Kind::boolean, .integers = {is_set}}; }
Argument list(std::vector<int> numbers) {
  return {.kind = Argument::Kind::values, .values = std::move(numbers)};
}

struct Step {
  const char* schema;
  std::vector<Argument> arguments;
  std::vector<Number> shape;
};

// Inputs x (B, T, 6) and y (B, T, 6), weights w (6, 6) and v (6), and the results of the steps from
// value 4 on, of which the last one is the output.
graph::Graph graph_of(const std::vector<Step>& steps) {
  graph::Graph graph;
  graph.symbols = {"B", "T"};
  graph.least = {1, 1};
  graph.inputs = {"x", "y"};
  graph.weights = {"w", "v"};
  const std::vector<Number> input = {kBatch, kLength, 6};
  graph.types = {{BROCH_FLOAT32, input},
                 {BROCH_FLOAT32, input},
                 {BROCH_FLOAT32, {6, 6}},
                 {BROCH_FLOAT32, {6}}};
  for (const Step& step : steps) {
    graph.operators.emplace_back(step.schema);
    const int result = int(graph.types.size());
    graph.nodes.push_back({uint32_t(graph.operators.size() - 1), step.arguments, {result}});
    graph.types.push_back({BROCH_FLOAT32, step.shape});
  }
  graph.outputs = {{"out", int(graph.types.size()) - 1}};
  return graph;
}
std::string dependence(const std::vector<Step>& steps) {
  return graph::dependence_of_rows(graph_of(steps), 0);
}

constexpr auto kAdd = "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor";
constexpr auto kSum =
    "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? "
    "dtype=None) -> Tensor";
constexpr auto kView = "aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)";
constexpr auto kTranspose = "aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)";
constexpr auto kBmm = "aten::bmm(Tensor self, Tensor mat2) -> Tensor";
constexpr auto kSoftmax =
    "aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor";
constexpr auto kAddmm =
    "aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> "
    "Tensor";

}  // namespace

TEST_CASE("rows: what depends on the number of examples") {
  constexpr auto kTimes = "aten::mul.Scalar(Tensor self, Scalar other) -> Tensor";
  constexpr auto kFull = "aten::full(SymInt[] size, Scalar fill_value) -> Tensor";
  constexpr auto kSlice =
      "aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt "
      "step=1) -> Tensor(a)";
  const std::vector<Number> whole = {kBatch, kLength, 6};
  const auto integers = [](std::vector<Number> numbers) {
    return Argument{.kind = Argument::Kind::integers, .integers = std::move(numbers)};
  };
  CHECK(dependence({{kTimes, {value(0), integer(3)}, whole}}).empty());
  CHECK(dependence({{kTimes, {value(0), integer(kLength)}, whole}}).empty());
  CHECK_FALSE(dependence({{kTimes, {value(0), integer(kBatch)}, whole}}).empty());
  const auto added = [&](const Number& fill) {
    return dependence(
        {{kFull, {integers({1}), integer(fill)}, {1}}, {kAdd, {value(0), value(4)}, whole}});
  };
  CHECK(added(2).empty());
  CHECK_FALSE(added(kBatch).empty());
  const auto sliced = [&](int64_t dim, const std::vector<Number>& shape) {
    return dependence(
        {{kSlice, {value(0), integer(dim), integer(0), integer(kBatch), integer(1)}, shape}});
  };
  CHECK(sliced(0, whole).empty());
  CHECK_FALSE(sliced(1, {kBatch, kBatch, 6}).empty());
}

TEST_CASE("rows: one operator") {
  const std::vector<Number> whole = {kBatch, kLength, 6};
  CHECK(dependence({{kAdd, {value(0), value(1)}, whole}}).empty());
  CHECK(dependence({{kAdd, {value(0), value(3)}, whole}}).empty());
  CHECK(dependence({{kSoftmax, {value(0), integer(-1)}, whole}}).empty());
  CHECK(dependence({{kSoftmax, {value(0), integer(0)}, whole}}) == "aten::softmax.int");
  CHECK(dependence({{kSoftmax, {value(0), integer(-3)}, whole}}) == "aten::softmax.int");
  CHECK(dependence({{kSum, {value(0), integers({1, -1})}, {kBatch}}}).empty());
  CHECK(dependence({{kSum, {value(0), integers({0})}, {kLength, 6}}}) == "aten::sum.dim_IntList");
  CHECK(dependence(
            {{"aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor", {value(0)}, {}}}) ==
        "aten::sum");
  CHECK(
      dependence({{kTranspose, {value(0), integer(1), integer(2)}, {kBatch, 6, kLength}}}).empty());
  CHECK(dependence({{kTranspose, {value(0), integer(0), integer(1)}, {kLength, kBatch, 6}}}) ==
        "output out");
  CHECK(dependence({{"aten::cat(Tensor[] tensors, int dim=0) -> Tensor",
                     {list({0, 1})},
                     {times(2, {0}), kLength, 6}}}) == "aten::cat");
  CHECK(dependence({{"aten::cat(Tensor[] tensors, int dim=0) -> Tensor",
                     {list({0, 1}), integer(2)},
                     {kBatch, kLength, 12}}})
            .empty());
  CHECK(dependence({{"aten::flip(Tensor self, int[] dims) -> Tensor",
                     {value(0), integers({0})},
                     whole}}) == "aten::flip");
  CHECK(dependence({{"aten::nothing_known(Tensor self) -> Tensor", {value(0)}, whole}}) ==
        "aten::nothing_known");
  CHECK(dependence({{"aten::rand_like(Tensor self) -> Tensor", {value(0)}, whole}}) ==
        "aten::rand_like");
}

TEST_CASE("rows: batch norm with the statistics of the batch, and with those of the training") {
  const char* const schema =
      "aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? "
      "running_var, bool training, float momentum, float eps, bool cudnn_enabled) -> Tensor";
  for (const bool training : {false, true})
    CHECK(dependence({{schema,
                       {value(0), value(3), value(3), value(3), value(3), flag(training)},
                       {kBatch, kLength, 6}}}) == (training ? "aten::batch_norm" : ""));
}

TEST_CASE("rows: examples become several rows, and one again") {
  const std::vector<Number> flat = {times(1, {0, 1}), 6};
  CHECK(dependence({{kView, {value(0), integers({-1, 6})}, flat},
                    {kAddmm, {value(3), value(4), value(2)}, flat},
                    {kView, {value(5), integers({kBatch, kLength, 6})}, {kBatch, kLength, 6}}})
            .empty());
  // The sum over all rows of all examples.
  CHECK(dependence({{kView, {value(0), integers({-1, 6})}, flat},
                    {kSum, {value(4), integers({0}), flag(true)}, {1, 6}},
                    {kAdd, {value(0), value(5)}, {kBatch, kLength, 6}}}) ==
        "aten::sum.dim_IntList");
  // Elements of all examples next to each other.
  CHECK(dependence({{kTranspose, {value(0), integer(0), integer(1)}, {kLength, kBatch, 6}},
                    {kView, {value(4), integers({-1, 6})}, flat}}) == "aten::view");
}

TEST_CASE("rows: attention within an example, and between examples") {
  const auto attention = [](int64_t a, int64_t b, Number rows, Number columns) {
    const std::vector<Number> other =
        a == 1 ? std::vector<Number>{kBatch, 6, kLength} : std::vector<Number>{6, kLength, kBatch};
    return std::vector<Step>{
        {kTranspose, {value(1), integer(a), integer(b)}, other},
        {kBmm, {value(0), value(4)}, {kBatch, std::move(rows), std::move(columns)}}};
  };
  CHECK(dependence(attention(1, 2, kLength, kLength)).empty());
  CHECK(dependence(attention(0, 2, kLength, kBatch)) == "aten::bmm");
}

TEST_CASE("rows: numbers that say which example it is") {
  const char* const arange =
      "aten::arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None) -> Tensor";
  CHECK(dependence({{arange, {integer(kLength)}, {kLength}},
                    {kView, {value(4), integers({kLength, 1})}, {kLength, 1}},
                    {kAdd, {value(0), value(5)}, {kBatch, kLength, 6}}})
            .empty());
  CHECK(dependence({{arange, {integer(kBatch)}, {kBatch}}}) == "aten::arange");
  CHECK(dependence({{"aten::zeros(SymInt[] size) -> Tensor",
                     {integers({kBatch, kLength, 6})},
                     {kBatch, kLength, 6}},
                    {kAdd, {value(0), value(4)}, {kBatch, kLength, 6}}})
            .empty());
}

TEST_CASE("rows: calls that no operator has") {
  const std::vector<Number> whole = {kBatch, kLength, 6};
  const char* const relu = "aten::relu(Tensor self) -> Tensor";
  CHECK(dependence({{relu, {value(0)}, {}}}) == "aten::relu");
  CHECK(dependence({{kView, {Argument{}, value(0)}, whole}}) == "aten::view");
  CHECK(dependence({{kView, {value(2), value(0)}, whole}}) == "aten::view");
  CHECK(dependence({{kBmm, {value(0)}, whole}}) == "aten::bmm");
  const char* const unsqueeze = "aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)";
  CHECK(dependence({{unsqueeze, {value(0), integer(0)}, {kBatch}}, {relu, {value(4)}, {kBatch}}}) ==
        "aten::relu");
  CHECK(dependence({{kSum, {value(0), integers({1}), integer(kLength)}, {kBatch, 6}}}).empty());
}

TEST_CASE("rows: the symbol of the batch") {
  graph::Graph graph = graph_of({{kAdd, {value(0), value(1)}, {kBatch, kLength, 6}}});
  CHECK(graph::batch_symbol(graph) == 0u);
  graph.types[1].shape = {kLength, kBatch, 6};
  CHECK_FALSE(graph::batch_symbol(graph));
  graph.types[1].shape = {kBatch, kBatch, 6};
  CHECK_FALSE(graph::batch_symbol(graph));
  graph.types[1].shape = {4, kLength, 6};
  CHECK_FALSE(graph::batch_symbol(graph));
}
