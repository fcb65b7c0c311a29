// signature.cpp: parameters, buffers, constants and inputs of the user; outputs and their names.
#include "models/exported/signature.hpp"

#include "arrays/diagnostic.hpp"
#include "models/exported/graph_reader.hpp"

namespace exported {
namespace {

constexpr size_t kMostSpecs = 1000000;
constexpr int kDeepest = 16;  // structures of outputs inside each other

// The context of a dict or a class names its members: ["loss", "logits"], or [["loss", "logits"],
// …].
void add_keys(const Json& context, std::vector<std::string>& keys) {
  try {
    const JsonText text(context.string(), context.path(), kExportAgain);
    const Json all = text.root(context.path());
    const bool is_nested = all.is_list() && all.size(kMostSpecs) > 0 && all.at(0).is_list();
    const Json list = is_nested ? all.at(0) : all;
    if (!list.is_list() || list.size(kMostSpecs) != keys.size()) return;
    for (size_t i = 0; i < keys.size(); ++i)
      if (list.at(i).is_string()) keys[i] = list.at(i).string();
  } catch (const broch::Error&) {
  }
}

// The context of a namedtuple is the name of its type. Those of all types are elsewhere in the
// module.
void add_fields(const Json& module, const std::string& type, std::vector<std::string>& keys) {
  if (!module.has("treespec_namedtuple_fields")) return;
  const Json types = module["treespec_namedtuple_fields"];
  if (!types.has(type.c_str())) return;
  const Json fields = types[type.c_str()]["field_names"];
  if (fields.size(kMostSpecs) != keys.size()) return;
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = fields.at(i).string();
}

// The names of the outputs, from what torch.utils._pytree writes: "loss" and "logits" for a dict, a
// dataclass or a namedtuple, "0" and "1" for a tuple, "" for a single tensor, "aux.0" for what is
// inside.
void add_names(const Json& module, const Json& spec, const std::string& prefix, int depth,
               std::vector<std::string>& names) {
  if (depth > kDeepest) spec.refuse("a deeper structure", "at most 16 levels");
  const Json children = spec["children_spec"];
  const size_t n = children.size(kMostSpecs);
  if (n == 0) {
    if (!spec.has("type")) names.push_back(prefix);
    return;
  }
  std::vector<std::string> keys(n);
  for (size_t i = 0; i < n; ++i) keys[i] = std::to_string(i);
  if (spec.has("context") && spec["context"].is_string()) {
    add_keys(spec["context"], keys);
    add_fields(module, spec["context"].string(), keys);
  }
  size_t i = 0;
  children.for_each(kMostSpecs, [&](const Json& child) {
    add_names(module, child, prefix.empty() ? keys[i] : prefix + "." + keys[i], depth + 1, names);
    ++i;
  });
}

std::vector<std::string> output_names(const Json& module) {
  std::vector<std::string> names;
  if (!module.has("module_call_graph")) return names;
  module["module_call_graph"].for_each(kMostSpecs, [&](const Json& entry) {
    if (!entry["fqn"].string().empty() || !entry.has("signature")) return;
    const Json spec = entry["signature"]["out_spec"];
    const JsonText text(spec.string(), spec.path(), kExportAgain);
    const Json tree = text.root(spec.path());
    if (!tree.is_list() || tree.size(kMostSpecs) != 2) return;
    names.clear();
    add_names(module, tree.at(1), "", 0, names);
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
    return item_of(argument, places_);
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

void read_signature(const Json& module, Program& program) {
  SignatureReader(program).read(module["signature"], output_names(module));
}

}  // namespace exported
