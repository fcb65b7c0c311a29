// program.cpp: reads a program of torch.export.
#include "models/exported/program.hpp"

#include <algorithm>
#include <array>

#include "arrays/diagnostic.hpp"

namespace exported {
namespace {

constexpr size_t kMostNodes = 1000000, kMostArguments = 10000, kMostElements = 1000000;
constexpr size_t kMostNames = 4000000, kMostRank = 64, kMostSpecs = 1000000;
constexpr int kMostSubgraphs = 16;  // inside each other

struct TorchDtype {
  broch_dtype dtype;
  const char* name;
};
// By ScalarType of the schema.
constexpr std::array<TorchDtype, 14> kDtypes = {{{0, "unknown"},
                                                 {BROCH_UINT8, "uint8"},
                                                 {BROCH_INT8, "int8"},
                                                 {BROCH_INT16, "int16"},
                                                 {BROCH_INT32, "int32"},
                                                 {BROCH_INT64, "int64"},
                                                 {BROCH_FLOAT16, "float16"},
                                                 {BROCH_FLOAT32, "float32"},
                                                 {BROCH_FLOAT64, "float64"},
                                                 {0, "complex32"},
                                                 {BROCH_COMPLEX64, "complex64"},
                                                 {BROCH_COMPLEX128, "complex128"},
                                                 {BROCH_BOOL, "bool"},
                                                 {BROCH_BFLOAT16, "bfloat16"}}};

// "s40" of "Symbol('s40', positive=True, integer=True)", and "" of every other expression.
std::string symbol_of(const std::string& expression) {
  const std::string begin = "Symbol('";
  if (expression.compare(0, begin.size(), begin) != 0) return "";
  const size_t quote = expression.find('\'', begin.size());
  if (quote == std::string::npos) return "";
  // What follows must be the arguments of this call alone.
  const size_t close = expression.find(')', quote);
  if (close != expression.size() - 1) return "";
  return expression.substr(begin.size(), quote - begin.size());
}

Size size_of(const Json& json) {
  Size size;
  const std::string& tag = json.tag();
  if (tag == "as_int") {
    size.value = json["as_int"].integer();
    if (size.value < 0) json.refuse(std::to_string(size.value), "a size of 0 or more");
  } else if (tag == "as_expr") {
    const Json expression = json["as_expr"];
    size.symbol = symbol_of(expression["expr_str"].string());
    if (expression.has("hint") && expression["hint"].has("as_int"))
      size.hint = expression["hint"]["as_int"].integer();
  } else {
    json.refuse(arrays::quoted(tag), "as_int or as_expr");
  }
  return size;
}

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

// The names of the outputs, from what torch.utils._pytree writes: "loss" and "logits" for a dict or
// a dataclass, "0" and "1" for a tuple, "" for a single tensor, "aux.0" for what is inside.
void add_names(const Json& spec, const std::string& prefix, int depth,
               std::vector<std::string>& names) {
  if (depth > kMostSubgraphs) spec.refuse("a deeper structure", "at most 16 levels");
  const Json children = spec["children_spec"];
  const size_t n = children.size(kMostSpecs);
  if (n == 0) {
    if (!spec.has("type")) names.push_back(prefix);
    return;
  }
  std::vector<std::string> keys(n);
  for (size_t i = 0; i < n; ++i) keys[i] = std::to_string(i);
  if (spec.has("context")) {
    nlohmann::json context;
    try {
      context = parsed(spec["context"].string(), spec.path());
    } catch (const broch::Error&) {  // the context of a type that does not tell names
    }
    const nlohmann::json* list = &context;
    if (list->is_array() && !list->empty() && (*list)[0].is_array()) list = &(*list)[0];
    if (list->is_array() && list->size() == n)
      for (size_t i = 0; i < n; ++i)
        if ((*list)[i].is_string()) keys[i] = (*list)[i].get<std::string>();
  }
  size_t i = 0;
  children.for_each(kMostSpecs, [&](const Json& child) {
    add_names(child, prefix.empty() ? keys[i] : prefix + "." + keys[i], depth + 1, names);
    ++i;
  });
}

std::vector<std::string> output_names(const Json& module) {
  std::vector<std::string> names;
  if (!module.has("module_call_graph")) return names;
  module["module_call_graph"].for_each(kMostSpecs, [&](const Json& entry) {
    if (!entry["fqn"].string().empty() || !entry.has("signature")) return;
    const Json spec = entry["signature"]["out_spec"];
    const nlohmann::json tree = parsed(spec.string(), spec.path());
    if (!tree.is_array() || tree.size() != 2) return;
    names.clear();
    add_names(Json(tree[1], spec.path()), "", 0, names);
  });
  return names;
}

class SignatureReader {
 public:
  explicit SignatureReader(Program& program) : program_(program) {
    for (size_t i = 0; i < program.graph.values.size(); ++i)
      places_.emplace(program.graph.values[i], static_cast<int>(i));
  }

  void read(const Json& signature, const std::vector<std::string>& names) {
    signature["input_specs"].for_each(
        kMostSpecs, [&](const Json& spec) { program_.inputs.push_back(input_of(spec)); });
    if (program_.inputs.size() != program_.graph.inputs.size())
      signature.refuse(std::to_string(program_.inputs.size()) + " inputs",
                       std::to_string(program_.graph.inputs.size()) + ", as the graph has");
    size_t users = 0;
    signature["output_specs"].for_each(kMostSpecs, [&](const Json& spec) {
      Output output = output_of(spec);
      if (output.kind == Output::Kind::user || output.kind == Output::Kind::loss) {
        output.name = users < names.size() ? names[users] : std::to_string(users);
        ++users;
      }
      program_.outputs.push_back(std::move(output));
    });
  }

 private:
  Item item(const Json& argument) {
    GraphReader reader(0);
    if (argument.has("name")) {  // a TensorArgument
      const auto found = places_.find(argument["name"].string());
      if (found == places_.end())
        argument.refuse("no value " + arrays::quoted(argument["name"].string()),
                        "one of the graph");
      Item item;
      item.kind = Item::Kind::value;
      item.value = found->second;
      return item;
    }
    if (argument.tag() == "as_string" || argument.tag() == "as_custom_obj") return {};
    return reader.item_of(argument, places_);
  }

  Input input_of(const Json& spec) {
    const std::string& tag = spec.tag();
    const Json value = spec[tag.c_str()];
    Input input;
    if (tag == "user_input") {
      input.item = item(value["arg"]);
      if (input.item.kind == Item::Kind::value)
        input.name = program_.graph.values[static_cast<size_t>(input.item.value)];
    } else if (tag == "parameter") {
      input.kind = Input::Kind::parameter;
      input.item = item(value["arg"]);
      input.name = value["parameter_name"].string();
    } else if (tag == "buffer") {
      input.kind = Input::Kind::buffer;
      input.item = item(value["arg"]);
      input.name = value["buffer_name"].string();
      if (value.has("persistent")) input.persistent = value["persistent"].boolean();
    } else if (tag == "tensor_constant") {
      input.kind = Input::Kind::constant;
      input.item = item(value["arg"]);
      input.name = value["tensor_constant_name"].string();
    } else if (tag == "constant_input") {
      input.item = {};  // the graph itself has the number, where one is used
    } else {
      spec.refuse("an input that is a " + arrays::quoted(tag), "tensors and numbers");
    }
    if (input.kind != Input::Kind::user && input.item.kind != Item::Kind::value)
      spec.refuse("no tensor", "the tensor that it is");
    return input;
  }

  Output output_of(const Json& spec) {
    const std::string& tag = spec.tag();
    const Json value = spec[tag.c_str()];
    Output output;
    const auto changes = [&](Output::Kind kind, const char* name) {
      output.kind = kind;
      output.name = value[name].string();
    };
    if (tag == "user_output") {
    } else if (tag == "loss_output") {
      output.kind = Output::Kind::loss;
    } else if (tag == "buffer_mutation") {
      changes(Output::Kind::buffer, "buffer_name");
    } else if (tag == "user_input_mutation") {
      changes(Output::Kind::input, "user_input_name");
    } else if (tag == "parameter_mutation") {
      changes(Output::Kind::parameter, "parameter_name");
    } else {
      output.kind = Output::Kind::other;
      return output;
    }
    output.item = item(value["arg"]);
    return output;
  }

  Program& program_;
  std::map<std::string, int> places_;
};

}  // namespace

broch_dtype dtype_of_torch(int64_t number) {
  return number >= 0 && number < static_cast<int64_t>(kDtypes.size())
             ? kDtypes[static_cast<size_t>(number)].dtype
             : 0;
}

std::string torch_dtype_name(int64_t number) {
  static const std::map<int64_t, const char*> kOthers = {
      {28, "uint16"},          {29, "float8_e4m3fn"},  {30, "float8_e5m2"}, {31, "float8_e4m3fnuz"},
      {32, "float8_e5m2fnuz"}, {33, "float8_e8m0fnu"}, {34, "uint32"},      {35, "uint64"}};
  const auto other = kOthers.find(number);
  if (other != kOthers.end()) return other->second;
  return number >= 0 && number < static_cast<int64_t>(kDtypes.size())
             ? kDtypes[static_cast<size_t>(number)].name
             : "dtype " + std::to_string(number);
}

TensorMeta tensor_meta_of(const Json& json) {
  TensorMeta meta;
  meta.torch_dtype = json["dtype"].integer();
  meta.dtype = dtype_of_torch(meta.torch_dtype);
  json["sizes"].for_each(kMostRank, [&](const Json& size) { meta.sizes.push_back(size_of(size)); });
  meta.requires_grad = json.has("requires_grad") && json["requires_grad"].boolean();
  return meta;
}

Program program_of(std::string_view text, const std::string& place) {
  const nlohmann::json tree = parsed(text, place);
  const Json json(tree, place + ": program");
  if (json.has("schema_version")) {
    const int64_t major = json["schema_version"]["major"].integer();
    if (major != 8)
      json.refuse("version " + std::to_string(major) + " of the schema",
                  "version 8, which torch 2.6 and later versions write");
  }
  Program program;
  const Json module = json["graph_module"];
  program.graph = GraphReader(0).read(module["graph"]);
  SignatureReader(program).read(module["signature"], output_names(module));
  if (json.has("range_constraints"))
    json["range_constraints"].for_each_member(
        kMostSpecs, [&](const std::string& symbol, const Json& range) {
          const int64_t least = range.has("min_val") ? range["min_val"].integer() : 0;
          const int64_t most = range.has("max_val") ? range["max_val"].integer() : INT64_MAX;
          program.ranges[symbol] = {least, most};
        });
  return program;
}

}  // namespace exported
