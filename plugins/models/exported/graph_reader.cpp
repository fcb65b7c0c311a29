// graph_reader.cpp: nodes and their arguments, with names resolved to the places of values.
#include "models/exported/graph_reader.hpp"

#include <algorithm>

#include "arrays/diagnostic.hpp"

namespace exported {
namespace {

constexpr size_t kMostNodes = 1000000, kMostArguments = 10000, kMostElements = 1000000;
constexpr size_t kMostNames = 4000000, kMostSpecs = 1000000;
constexpr int kMostSubgraphs = 16;  // inside each other

// The line in the user's own code, of a traceback in Python: the first one, since export leaves out
// what is above forward.
std::string source_of(const std::string& trace) {
  const size_t file = trace.find("File \"");
  if (file == std::string::npos) return "";
  const size_t end = trace.find('"', file + 6);
  const size_t line = trace.find("line ", file);
  if (end == std::string::npos || line == std::string::npos) return "";
  size_t digits = line + 5;
  while (digits < trace.size() && trace[digits] >= '0' && trace[digits] <= '9') ++digits;
  std::string text =
      trace.substr(file + 6, end - file - 6) + ", " + trace.substr(line, digits - line);
  size_t code = trace.find('\n', digits);
  if (code != std::string::npos) {
    code = trace.find_first_not_of(" \n", code);
    if (code != std::string::npos)
      text += ": " + trace.substr(code, std::min(trace.find('\n', code), code + 120) - code);
  }
  return text;
}

// Arguments that no operator of this program can take, by their tag.
const std::map<std::string, std::string>& words_of_kinds() {
  static const std::map<std::string, std::string> words = {
      {"as_complex", "a complex number"},
      {"as_custom_obj", "an object of a class of TorchScript"},
      {"as_operator", "an operator as a value"},
      {"as_strings", "a list of texts"},
      {"as_int_lists", "a list of lists of integers"},
      {"as_float_lists", "a list of lists of numbers"},
      {"as_nested_tensors", "a list of lists of tensors"},
      {"as_string_to_argument", "a dict"}};
  return words;
}

class GraphReader {
 public:
  explicit GraphReader(int depth) : depth_(depth) {}

  Graph read(const Json& json) {
    if (json.has("tensor_values"))
      json["tensor_values"].for_each_member(kMostNames,
                                            [&](const std::string& name, const Json& meta) {
                                              graph_.tensors[name] = tensor_meta_of(meta);
                                            });
    json["inputs"].for_each(kMostSpecs,
                            [&](const Json& input) { graph_.inputs.push_back(input_of(input)); });
    json["nodes"].for_each(kMostNodes,
                           [&](const Json& node) { graph_.nodes.push_back(node_of(node)); });
    json["outputs"].for_each(kMostSpecs,
                             [&](const Json& output) { take_flat(output, graph_.outputs); });
    return std::move(graph_);
  }

  // A single argument of a signature, whose names are those of this graph.
  Item item_of(const Json& argument, const std::map<std::string, int>& places) {
    places_ = places;
    return single(argument);
  }
  const std::map<std::string, int>& places() const { return places_; }

 private:
  int define(const Json& name) {
    const std::string& text = name.string();
    if (graph_.values.size() >= kMostNames)
      name.refuse("more than " + std::to_string(kMostNames) + " values", "fewer");
    const int place = static_cast<int>(graph_.values.size());
    if (!places_.emplace(text, place).second)
      name.refuse("a second value " + arrays::quoted(text), "names that occur once");
    graph_.values.push_back(text);
    return place;
  }
  Item use(const Json& name) const {
    const auto found = places_.find(name.string());
    if (found == places_.end())
      name.refuse("no value " + arrays::quoted(name.string()) + " before it",
                  "the name of an input or of a result of an earlier node");
    Item item;
    item.kind = Item::Kind::value;
    item.value = found->second;
    return item;
  }
  static Item integer(int64_t value) {
    Item item;
    item.kind = Item::Kind::integer;
    item.integer = value;
    return item;
  }
  static Item floating(double value) {
    Item item;
    item.kind = Item::Kind::floating;
    item.floating = value;
    return item;
  }
  static Item boolean(bool value) {
    Item item = integer(value);
    item.kind = Item::Kind::boolean;
    return item;
  }

  // An element of a list of symbolic numbers: {"as_name": …} or {"as_int": …}.
  Item symbolic(const Json& json) const {
    const std::string& tag = json.tag();
    if (tag == "as_name") return use(json["as_name"]);
    if (tag == "as_int") return integer(json["as_int"].integer());
    if (tag == "as_float") return floating(json["as_float"].number());
    if (tag == "as_bool") return boolean(json["as_bool"].boolean());
    json.refuse(arrays::quoted(tag), "as_name or a number");
  }
  Item optional_tensor(const Json& json) const {
    return json.tag() == "as_none" ? Item() : use(json["as_tensor"]["name"]);
  }
  template <class Element>
  static std::vector<Item> list(const Json& json, Element element) {
    std::vector<Item> items;
    json.for_each(kMostElements, [&](const Json& one) { items.push_back(element(one)); });
    return items;
  }

  static bool is_single(const std::string& tag) {
    for (const char* one : {"as_none", "as_tensor", "as_optional_tensor", "as_int", "as_float",
                            "as_bool", "as_sym_int", "as_sym_float", "as_sym_bool"})
      if (tag == one) return true;
    return false;
  }
  Item single(const Json& json) const {
    const std::string& tag = json.tag();
    const Json value = json[tag.c_str()];
    if (tag == "as_none") return {};
    if (tag == "as_tensor") return use(value["name"]);
    if (tag == "as_optional_tensor") return optional_tensor(value);
    if (tag == "as_int") return integer(value.integer());
    if (tag == "as_float") return floating(value.number());
    if (tag == "as_bool") return boolean(value.boolean());
    if (tag == "as_sym_int" || tag == "as_sym_float" || tag == "as_sym_bool")
      return symbolic(value);
    json.refuse(arrays::quoted(tag), "a single value");
  }

  Argument argument_of(const Json& json) {
    const std::string& tag = json.tag();
    const Json value = json[tag.c_str()];
    Argument argument;
    const auto is_list = [&](std::vector<Item> items) {
      argument.kind = Argument::Kind::list;
      argument.items = std::move(items);
    };
    if (is_single(tag)) {
      argument.item = single(json);
    } else if (tag == "as_tensors") {
      is_list(list(value, [&](const Json& one) { return use(one["name"]); }));
    } else if (tag == "as_optional_tensors") {
      is_list(list(value, [&](const Json& one) { return optional_tensor(one); }));
    } else if (tag == "as_ints") {
      is_list(list(value, [](const Json& one) { return integer(one.integer()); }));
    } else if (tag == "as_floats") {
      is_list(list(value, [](const Json& one) { return floating(one.number()); }));
    } else if (tag == "as_bools") {
      is_list(list(value, [](const Json& one) { return boolean(one.boolean()); }));
    } else if (tag == "as_sym_ints" || tag == "as_sym_floats" || tag == "as_sym_bools") {
      is_list(list(value, [&](const Json& one) { return symbolic(one); }));
    } else if (tag == "as_string") {
      argument.kind = Argument::Kind::string;
      argument.string = value.string();
    } else if (tag == "as_scalar_type") {
      argument.kind = Argument::Kind::dtype;
      argument.item = integer(dtype_of_torch(value.integer()));
      argument.string = torch_dtype_name(value.integer());
    } else if (tag == "as_device" || tag == "as_layout" || tag == "as_memory_format") {
      argument.kind = Argument::Kind::placement;
      if (tag == "as_memory_format" && value.integer() == 1) argument.string = "contiguous";
    } else if (tag == "as_graph") {
      if (depth_ == kMostSubgraphs)
        json.refuse("more than " + std::to_string(kMostSubgraphs) + " graphs inside each other",
                    "fewer");
      argument.kind = Argument::Kind::graph;
      argument.graph = std::make_shared<Graph>(GraphReader(depth_ + 1).read(value["graph"]));
    } else {
      argument.kind = Argument::Kind::unsupported;
      const auto known = words_of_kinds().find(tag);
      argument.string = known == words_of_kinds().end() ? "a value written as " + tag.substr(0, 40)
                                                        : known->second;
    }
    return argument;
  }

  Item input_of(const Json& json) {
    const std::string& tag = json.tag();
    Item item;
    item.kind = Item::Kind::value;
    if (tag == "as_tensor") {
      item.value = define(json["as_tensor"]["name"]);
    } else if (tag == "as_sym_int" && json["as_sym_int"].has("as_name")) {
      item.value = define(json["as_sym_int"]["as_name"]);
    } else if (is_single(tag)) {
      item = single(json);
    } else if (tag == "as_string") {
      item = {};
    } else {
      json.refuse(arrays::quoted(tag), "a tensor or a number as the input of a graph");
    }
    return item;
  }

  // Results of a node are new values.
  void results_of(const Json& json, std::vector<int>& results) {
    const std::string& tag = json.tag();
    const Json value = json[tag.c_str()];
    if (tag == "as_tensor") {
      results.push_back(define(value["name"]));
    } else if (tag == "as_tensors") {
      value.for_each(kMostElements,
                     [&](const Json& one) { results.push_back(define(one["name"])); });
    } else if (tag == "as_optional_tensor") {
      results.push_back(value.tag() == "as_none" ? -1 : define(value["as_tensor"]["name"]));
    } else if (tag == "as_optional_tensors") {
      value.for_each(kMostElements, [&](const Json& one) {
        results.push_back(one.tag() == "as_none" ? -1 : define(one["as_tensor"]["name"]));
      });
    } else if (tag == "as_sym_int" || tag == "as_sym_float" || tag == "as_sym_bool") {
      results.push_back(value.tag() == "as_name" ? define(value["as_name"]) : -1);
    } else if (tag == "as_none" || tag == "as_int" || tag == "as_float" || tag == "as_bool") {
      results.push_back(-1);
    } else {
      json.refuse(arrays::quoted(tag), "tensors and numbers as results");
    }
  }

  // An output of a graph: a tensor, a number, or a list of them.
  void take_flat(const Json& json, std::vector<Item>& items) {
    const Argument argument = argument_of(json);
    if (argument.kind == Argument::Kind::list)
      items.insert(items.end(), argument.items.begin(), argument.items.end());
    else
      items.push_back(argument.kind == Argument::Kind::item ? argument.item : Item());
  }

  Node node_of(const Json& json) {
    Node node;
    node.target = json["target"].string();
    json["inputs"].for_each(kMostArguments, [&](const Json& input) {
      node.arguments.emplace_back(input["name"].string(), argument_of(input["arg"]));
    });
    json["outputs"].for_each(kMostArguments,
                             [&](const Json& output) { results_of(output, node.results); });
    if (json.has("metadata") && json["metadata"].has("stack_trace"))
      node.source = source_of(json["metadata"]["stack_trace"].string());
    if (json.has("name"))
      node.name = json["name"].string();
    else if (!node.results.empty() && node.results[0] >= 0)
      node.name = graph_.values[static_cast<size_t>(node.results[0])];
    return node;
  }

  int depth_;
  Graph graph_;
  std::map<std::string, int> places_;
};

}  // namespace

Graph graph_of(const Json& json) { return GraphReader(0).read(json); }

Item item_of(const Json& argument, const std::map<std::string, int>& places) {
  return GraphReader(0).item_of(argument, places);
}

}  // namespace exported
