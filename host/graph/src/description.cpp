// description.cpp: writes values, nodes and their arguments by name.
#include "graph/description.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace broch::graph {
namespace {

using Json = nlohmann::ordered_json;
using Kind = Argument::Kind;

// The names of the arguments of "aten::add(Tensor self, *, Scalar alpha=1) -> Tensor", without "*".
std::vector<std::string> argument_names(const std::string& schema) {
  std::vector<std::string> names;
  size_t depth = 0, begin = schema.find('(') + 1;
  for (size_t at = begin; at < schema.size(); ++at) {
    const char c = schema[at];
    const bool ends = depth == 0 && (c == ',' || c == ')');
    if (c == '(' || c == '[') ++depth;
    if (!ends && (c == ')' || c == ']')) --depth;
    if (!ends) continue;
    std::string one = schema.substr(begin, at - begin);
    one = one.substr(0, one.find('='));
    if (const size_t space = one.rfind(' ');
        !one.empty() && one.find_first_not_of(" *") != one.npos)
      names.push_back(space == one.npos ? one : one.substr(space + 1));
    begin = at + 1;
    if (c == ')') break;
  }
  return names;
}

class Writer {
 public:
  explicit Writer(const Graph& graph) : graph_(graph) {
    for (const std::string& schema : graph.operators) names_.push_back(argument_names(schema));
  }

  Json write() const {
    Json json;
    json["values"] = Json::array();
    for (size_t i = 0; i < graph_.types.size(); ++i) json["values"].push_back(value(i));
    json["inputs"] = places(0, graph_.inputs.size());
    json["weights"] = places(graph_.inputs.size(), graph_.weights.size());
    json["nodes"] = Json::array();
    for (const Node& one : graph_.nodes) json["nodes"].push_back(node(one));
    json["outputs"] = Json::array();
    for (const Output& output : graph_.outputs)
      json["outputs"].push_back({{"name", output.name}, {"value", output.value}});
    return json;
  }

 private:
  static Json places(size_t first, size_t count) {
    Json list = Json::array();
    for (size_t i = 0; i < count; ++i) list.push_back(first + i);
    return list;
  }

  Json value(size_t place) const {
    const size_t inputs = graph_.inputs.size();
    Json value = Json::object();
    if (place < inputs)
      value["name"] = graph_.inputs[place];
    else if (place < inputs + graph_.weights.size())
      value["name"] = graph_.weights[place - inputs];
    value["dtype"] = runtime::dtype_name(graph_.types[place].dtype);
    value["shape"] = Json::array();
    for (const Number& size : graph_.types[place].shape) value["shape"].push_back(number(size));
    return value;
  }

  Json number(const Number& number) const {
    if (number.is_constant()) return number.value({});
    return number.text(graph_.symbols);
  }

  // JSON has no infinity.
  static Json number(double number) {
    if (std::isfinite(number)) return number;
    return std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity";
  }

  Json node(const Node& node) const {
    const std::string& schema = graph_.operators[node.op];
    Json inputs = Json::array(), arguments = Json::object();
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      const Argument& argument = node.arguments[i];
      if (argument.kind == Kind::value || argument.kind == Kind::values)
        for (const int value : argument.values) inputs.push_back(value);
      else
        arguments[i < names_[node.op].size() ? names_[node.op][i] : std::to_string(i)] =
            plain(argument);
    }
    return {{"operator", schema.substr(0, schema.find('('))},
            {"inputs", inputs},
            {"results", node.results},
            {"arguments", arguments}};
  }

  // An argument that is no tensor.
  Json plain(const Argument& argument) const {
    Json list = Json::array();
    for (const Number& one : argument.integers) list.push_back(number(one));
    for (const double one : argument.floats) list.push_back(number(one));
    switch (argument.kind) {
      case Kind::integer:
      case Kind::floating:
        return list[0];
      case Kind::boolean:
        return list[0] != 0;
      case Kind::booleans:
        for (Json& one : list) one = one != 0;
        return list;
      case Kind::dtype:
        return runtime::dtype_name(broch_dtype(argument.integers[0].value({})));
      case Kind::text:
        return argument.text;
      case Kind::none:
        return nullptr;
      default:
        return list;
    }
  }

  const Graph& graph_;
  std::vector<std::vector<std::string>> names_;  // of arguments, by operator
};

}  // namespace

std::string description(const Graph& graph) { return Writer(graph).write().dump(); }

}  // namespace broch::graph
