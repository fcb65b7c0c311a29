// text.cpp: a graph as JSON and back.
//
//   {"symbols": ["B"], "least": [1], "operators": ["aten::relu(Tensor self) -> Tensor"],
//    "inputs": ["x"], "weights": [], "nodes": [[0, [{"v": 0}], [1]]], "outputs": [["y", 1]],
//    "types": [["float32", [[[1, 0]], 10]], …]}
//
// A number is an integer, or a list of terms: [factor, symbol, symbol, …].
#include "graph/text.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "archive/json.hpp"
#include "base/error.hpp"
#include "broch/cpp/error.hpp"

namespace broch::graph {
namespace {

using Json = nlohmann::ordered_json;
using Kind = Argument::Kind;

constexpr size_t kMostNodes = 1'000'000, kMostNames = 100'000, kMostElements = 1'000'000,
                 kMostValues = 4'000'000;
constexpr size_t kMostTerms = 16, kMostSymbols = 64;
constexpr const char* kExportAgain = "export the model again";
// The members of an argument, by kind.
constexpr const char* kTags[] = {"none", "v", "vs", "i", "is", "f", "fs", "b", "bs", "s", "dtype"};

// ---- writing

Json json_of(const Number& number) {
  if (number.terms.empty()) return 0;
  if (number.is_constant()) return number.value({});
  Json terms = Json::array();
  for (const Number::Term& term : number.terms) {
    Json one = Json::array({term.factor});
    for (const uint32_t symbol : term.symbols) one.push_back(symbol);
    terms.push_back(std::move(one));
  }
  return terms;
}

// JSON has no infinity.
Json json_of(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

Json json_of(const Argument& argument);
Json json_of(const Type& type);

template <class T>
Json list_of(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(json_of(value));
  return list;
}

Json json_of(const Argument& argument) {
  const char* const tag = kTags[size_t(argument.kind)];
  switch (argument.kind) {
    case Kind::none:
      return nullptr;
    case Kind::value:
      return {{tag, argument.values[0]}};
    case Kind::values:
      return {{tag, argument.values}};
    case Kind::integer:
      return {{tag, json_of(argument.integers[0])}};
    case Kind::integers:
    case Kind::booleans:
      return {{tag, list_of(argument.integers)}};
    case Kind::floating:
      return {{tag, json_of(argument.floats[0])}};
    case Kind::floats:
      return {{tag, list_of(argument.floats)}};
    case Kind::boolean:
      return {{tag, argument.integers[0].value({}) != 0}};
    case Kind::text:
      return {{tag, argument.text}};
    case Kind::dtype:
      return {{tag, runtime::dtype_name(broch_dtype(argument.integers[0].value({})))}};
  }
  return nullptr;
}

Json json_of(const Type& type) {
  return Json::array({runtime::dtype_name(type.dtype), list_of(type.shape)});
}

// ---- reading

using archive::JsonText;
using Read = archive::Json;

class Reader {
 public:
  Graph read(const Read& json) {
    json["symbols"].for_each(kMostSymbols,
                             [&](const Read& one) { graph_.symbols.push_back(one.string()); });
    json["least"].for_each(kMostSymbols, [&](const Read& one) {
      graph_.least.push_back(one.integer());
      if (graph_.least.back() < 1) one.refuse(std::to_string(one.integer()), "at least 1");
    });
    if (graph_.least.size() != graph_.symbols.size())
      json["least"].refuse(std::to_string(graph_.least.size()) + " sizes", "one for each symbol");
    json["operators"].for_each(kMostNames,
                               [&](const Read& one) { graph_.operators.push_back(one.string()); });
    json["types"].for_each(kMostValues, [&](const Read& one) { types_.push_back(type_of(one)); });
    add_names(json["inputs"], graph_.inputs);
    check_inputs(json["inputs"]);
    add_names(json["weights"], graph_.weights);
    for (size_t i = 0; i < graph_.weights.size(); ++i)
      for (const Number& size : graph_.type_of_weight(i).shape)
        if (!size.is_constant())
          json["weights"].refuse("a weight whose shape depends on inputs", "one of fixed shape");
    json["nodes"].for_each(kMostNodes, [&](const Read& one) { graph_.nodes.push_back(node(one)); });
    json["outputs"].for_each(kMostNames, [&](const Read& one) {
      if (one.size(2) != 2) one.refuse("another list", "[name, value]");
      graph_.outputs.push_back({one.at(0).string(), value(one.at(1), false)});
    });
    if (graph_.types.size() != types_.size())
      json["types"].refuse(std::to_string(types_.size()) + " types",
                           std::to_string(graph_.types.size()) + ", one for each value");
    return std::move(graph_);
  }

 private:
  static broch_dtype dtype(const Read& json) {
    for (broch_dtype dtype = 1; runtime::dtype_size(dtype); ++dtype)
      if (json.string() == runtime::dtype_name(dtype)) return dtype;
    json.refuse(json.string(), "a dtype, such as float32");
  }

  Number number(const Read& json) const {
    if (json.is_integer()) return json.integer();
    Number number;
    json.for_each(kMostTerms, [&](const Read& one) {
      Number::Term term;
      const size_t size = one.size(1 + kMostTerms);
      if (size == 0) one.refuse("an empty term", "a factor");
      term.factor = one.at(0).integer();
      for (size_t i = 1; i < size; ++i) {
        const int64_t symbol = one.at(i).integer();
        if (symbol < 0 || symbol >= int64_t(graph_.symbols.size()))
          one.at(i).refuse("symbol " + std::to_string(symbol), "the place of a symbol");
        term.symbols.push_back(uint32_t(symbol));
      }
      number.terms.push_back(std::move(term));
    });
    return number;
  }

  Type type_of(const Read& json) const {
    if (json.size(2) != 2) json.refuse("another list", "[dtype, shape]");
    Type type{dtype(json.at(0)), {}};
    json.at(1).for_each(BROCH_RANK_MAX, [&](const Read& one) {
      const Number size = number(one);
      if (size.is_constant() && size.value({}) < 0) one.refuse("a negative size", "0 or more");
      type.shape.push_back(size);
    });
    return type;
  }

  // The next value.
  void define(const Read& json) {
    if (graph_.types.size() == types_.size())
      json.refuse("a value without a type", "a type for each value");
    graph_.types.push_back(types_[graph_.types.size()]);
  }
  void add_names(const Read& json, std::vector<std::string>& names) {
    json.for_each(kMostNames, [&](const Read& one) {
      names.push_back(one.string());
      define(one);
    });
  }
  // Each size is a constant or a symbol, and each symbol is a size.
  void check_inputs(const Read& json) const {
    std::vector<bool> is_bound(graph_.symbols.size());
    for (const Type& type : graph_.types)
      for (const Number& size : type.shape) {
        if (size.is_constant()) continue;
        if (size.terms.size() != 1 || size.terms[0].factor != 1 ||
            size.terms[0].symbols.size() != 1)
          json.refuse("a size that is computed", "numbers and symbols");
        is_bound[size.terms[0].symbols[0]] = true;
      }
    for (size_t i = 0; i < is_bound.size(); ++i)
      if (!is_bound[i]) json.refuse("no size '" + graph_.symbols[i] + "'", "one");
  }

  int value(const Read& json, bool may_be_none) const {
    const int64_t value = json.integer();
    if (value < (may_be_none ? -1 : 0) || value >= int64_t(graph_.types.size()))
      json.refuse("value " + std::to_string(value), "one that is defined before");
    return int(value);
  }

  Argument argument(const Read& json) const {
    Argument argument;
    if (json.is_null()) return argument;
    const std::string tag = json.tag();
    const Read content = json[tag.c_str()];
    const auto each = [&](auto add) { content.for_each(kMostElements, add); };
    const auto is = [&](Kind kind) {
      if (tag != kTags[size_t(kind)]) return false;
      argument.kind = kind;
      return true;
    };
    if (is(Kind::value)) {
      argument.values = {value(content, false)};
    } else if (is(Kind::values)) {
      each([&](const Read& one) { argument.values.push_back(value(one, true)); });
    } else if (is(Kind::integer)) {
      argument.integers = {number(content)};
    } else if (is(Kind::integers)) {
      each([&](const Read& one) { argument.integers.push_back(number(one)); });
    } else if (is(Kind::floating)) {
      argument.floats = {content.number()};
    } else if (is(Kind::floats)) {
      each([&](const Read& one) { argument.floats.push_back(one.number()); });
    } else if (is(Kind::boolean)) {
      argument.integers = {content.boolean()};
    } else if (is(Kind::booleans)) {
      each([&](const Read& one) { argument.integers.emplace_back(one.integer() != 0); });
    } else if (is(Kind::text)) {
      argument.text = content.string();
    } else if (is(Kind::dtype)) {
      argument.integers = {int64_t(dtype(content))};
    } else {
      json.refuse("an argument '" + tag + "'", "a kind of argument that this version knows");
    }
    return argument;
  }

  Node node(const Read& json) {
    if (json.size(3) != 3) json.refuse("another list", "[operator, arguments, results]");
    Node node;
    const int64_t op = json.at(0).integer();
    if (op < 0 || op >= int64_t(graph_.operators.size()))
      json.at(0).refuse("operator " + std::to_string(op), "the place of an operator");
    node.op = uint32_t(op);
    json.at(1).for_each(kMostSymbols,
                        [&](const Read& one) { node.arguments.push_back(argument(one)); });
    json.at(2).for_each(kMostElements, [&](const Read& one) {
      const int64_t result = one.integer(), next = int64_t(graph_.types.size());
      if (result != -1 && result != next)
        one.refuse("value " + std::to_string(result),
                   "-1 or the next one, " + std::to_string(next));
      node.results.push_back(int(result));
      if (result >= 0) define(one);
    });
    return node;
  }

  Graph graph_;
  std::vector<Type> types_;  // those that the text has; graph_ has those of defined values
};

}  // namespace

std::string to_json(const Graph& graph) {
  Json json = {{"symbols", graph.symbols}, {"least", graph.least}, {"operators", graph.operators}};
  json["inputs"] = graph.inputs;
  json["weights"] = graph.weights;
  json["nodes"] = Json::array();
  for (const Node& node : graph.nodes)
    json["nodes"].push_back(Json::array({node.op, list_of(node.arguments), node.results}));
  json["outputs"] = Json::array();
  for (const Output& output : graph.outputs)
    json["outputs"].push_back(Json::array({output.name, output.value}));
  json["types"] = list_of(graph.types);
  return json.dump();
}

Graph from_json(std::string_view text, const std::string& place) {
  try {
    const JsonText json(text, place, kExportAgain);
    return Reader().read(json.root(place + ": graph"));
  } catch (const broch::Error& error) {
    throw base::Error(base::Exit::data, error.what());
  }
}

}  // namespace broch::graph
