// text_test.cpp: graphs as JSON; numbers; the sizes that inputs have.
#include "graph/text.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "base/error.hpp"
#include "example.hpp"

using namespace broch;
using namespace broch::graph_test;
using graph::Argument;
using graph::Graph;
using graph::Number;

namespace {

std::string refusal(const std::string& text) {
  try {
    graph::from_json(text, "model.broch");
  } catch (const base::Error& error) {
    CHECK(error.exit() == base::Exit::data);
    return error.what();
  }
  return "";
}
// The example with a part of its text replaced.
std::string with(const std::string& from, const std::string& to) {
  std::string text = graph::to_json(example());
  const size_t at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  return text.replace(at, from.size(), to);
}
void check_refusal(const std::string& from, const std::string& to, const std::string& part) {
  const std::string text = refusal(with(from, to));
  CHECK_MESSAGE(text.find(part) != std::string::npos, text);
}

runtime::TensorInfo info(broch_dtype dtype, std::vector<int64_t> shape) {
  runtime::TensorInfo info;
  info.dtype = dtype;
  info.shape.rank = uint32_t(shape.size());
  std::copy(shape.begin(), shape.end(), info.shape.dims.begin());
  return info;
}
std::string size_refusal(const Graph& graph, std::vector<runtime::TensorInfo> inputs) {
  try {
    graph.sizes_for(inputs);
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("graph: what is written is read again") {
  Graph graph = example();
  const auto add = [&](Argument argument) { graph.nodes[0].arguments.push_back(argument); };
  add({});
  add({.kind = Argument::Kind::values, .values = {0, -1, 2}});
  add({.kind = Argument::Kind::integer, .integers = {INT64_MIN}});
  add({.kind = Argument::Kind::floats, .floats = {0.1, INFINITY, -INFINITY, 1e300}});
  add({.kind = Argument::Kind::boolean, .integers = {1}});
  add({.kind = Argument::Kind::booleans, .integers = {1, 0}});
  add({.kind = Argument::Kind::text, .text = "\"tanh\""});
  add({.kind = Argument::Kind::dtype, .integers = {BROCH_BFLOAT16}});
  const std::string text = graph::to_json(graph);
  const Graph again = graph::from_json(text, "model.broch");
  CHECK(graph::to_json(again) == text);
  CHECK(again.nodes[0].arguments[6].floats == graph.nodes[0].arguments[6].floats);
  CHECK(again.nodes[0].arguments[5].integers == graph.nodes[0].arguments[5].integers);
  CHECK(again.types == graph.types);
}

TEST_CASE("graph: a text that does not describe a graph is refused with the place") {
  CHECK(refusal("[").find("no JSON") != std::string::npos);
  check_refusal("\"symbols\"", "\"symbol\"", "graph: found no member 'symbols'");
  check_refusal("{\"v\":3}", "{\"v\":4}", "nodes[1][1][0].v: found value 4");
  check_refusal("{\"v\":3}", "{\"v\":-1}", "found value -1");
  check_refusal("{\"v\":3}", "{\"w\":3}", "an argument 'w'");
  check_refusal("[0,[", "[9,[", "found operator 9");
  check_refusal("[[[2,0]]]", "[[[2,1]]]", "found symbol 1");
  check_refusal("[[[2,0]]]", "[[[]]]", "an empty term");
  check_refusal(",[3]]", ",[4]]", "-1 or the next one, 3");
  check_refusal("[\"y\",4]", "[\"y\",7]", "outputs[0][1]: found value 7");
  check_refusal("[\"float32\",[[[1,0]],3]]", "[\"float32\",[[[2,0]],3]]",
                "a size that is computed");
  check_refusal("[\"float32\",[[[1,0]],3]]", "[\"float32\",[2,3]]", "no size 'B'");
  check_refusal("\"float32\"", "\"float31\"", "expected a dtype");
  check_refusal("\"least\":[1]", "\"least\":[0]", "least[0]: found 0");
  check_refusal("[\"float32\",[2,3]]", "[\"float32\",[-2,3]]", "found a negative size");
  check_refusal("[\"float32\",[[[2,0]]]]]}", "[\"float32\",[[[2,0]]]],[\"bool\",[]]]}", "8 types");
}

TEST_CASE("graph: numbers follow from sizes") {
  Number number = 7;
  number.terms.push_back({2, {0, 1}});
  CHECK(number.value(std::vector<int64_t>{3, 5}) == 37);
  CHECK(number.text({"B", "T"}) == "7 + 2 * B * T");
  CHECK(!number.is_constant());
  CHECK_THROWS_AS(number.value(std::vector<int64_t>{INT64_MAX, 2}), base::Error);
  CHECK(Number().value({}) == 0);
}

TEST_CASE("graph: inputs give the sizes, or do not fit") {
  Graph graph = example();
  CHECK(graph.sizes_for(std::vector{info(BROCH_FLOAT32, {5, 3})}) == std::vector<int64_t>{5});
  const auto says = [&](std::vector<runtime::TensorInfo> inputs, const std::string& part) {
    const std::string text = size_refusal(graph, std::move(inputs));
    CHECK_MESSAGE(text.find(part) != std::string::npos, text);
  };
  says({info(BROCH_FLOAT64, {5, 3})}, "input 'x': float64 (5, 3), expected float32 (B, 3)");
  says({info(BROCH_FLOAT32, {5, 4})}, "float32 (5, 4), expected float32 (B, 3)");
  says({info(BROCH_FLOAT32, {5})}, "float32 (5,), expected");
  says({}, "inputs of the model: 0, expected 1");
  says({info(BROCH_FLOAT32, {0, 3})}, "B = 0, expected at least 1");
  graph.inputs = {"x", "z"};
  graph.weights = {"fc/b"};
  graph.types[1] = {BROCH_INT64, {symbol(0)}};
  says({info(BROCH_FLOAT32, {5, 3}), info(BROCH_INT64, {4})},
       "input 'z': int64 (4,), expected int64 (B), with B = 5");
}
