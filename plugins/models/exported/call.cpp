// call.cpp: the arguments of operators.
#include "models/exported/call.hpp"

#include <algorithm>
#include <cstdlib>

#include "models/exported/operator_choice.hpp"

namespace exported {
namespace {

broch_value default_of(const SchemaArgument& argument) {
  const std::string& text = argument.default_text;
  // For lists and placements the host puts the default in the place of NONE.
  if (text == "None" || argument.type.is_list) return broch_none();
  const std::string& type = argument.type.name;
  if (type == "bool") return broch_bool(text == "True");
  if (text == "True" || text == "False") return broch_bool(text == "True");
  if (type == "int") return broch_int(std::atoll(text.c_str()));
  if (type == "float") return broch_double(std::atof(text.c_str()));
  if (type == "Scalar")
    return text.find_first_of(".e") == std::string::npos ? broch_int(std::atoll(text.c_str()))
                                                         : broch_double(std::atof(text.c_str()));
  if (type == "str" && text.size() >= 2) {
    broch_value value = broch_none();
    value.tag = BROCH_TAG_STR;
    value.len = uint32_t(text.size() - 2);
    value.u.str = text.data() + 1;  // the schema lives as long as the step
    return value;
  }
  return broch_none();
}

bool is_placement(const std::string& type) {
  return type == "Device" || type == "Layout" || type == "MemoryFormat" || type == "Generator";
}

// Throws Refusal if the operator cannot take this argument.
void check_argument(const std::string& name, const SchemaType& type, const Argument& argument) {
  const std::string wanted =
      " for argument '" + name + "' (" + type.name + (type.is_list ? "[])" : ")");
  if (is_placement(type.name) || is_none(&argument)) return;
  switch (argument.kind) {
    case Argument::Kind::unsupported:
      throw Refusal{argument.string + wanted};
    case Argument::Kind::graph:
      throw Refusal{"a graph" + wanted};
    case Argument::Kind::string:
      if (type.name != "str" || type.is_list) throw Refusal{"a text" + wanted};
      return;
    case Argument::Kind::dtype:
      if (type.name != "ScalarType") throw Refusal{"a dtype" + wanted};
      if (!argument.item.integer)
        throw Refusal{"dtype " + argument.string + ", which Broch does not have,"};
      return;
    case Argument::Kind::placement:
      throw Refusal{"a device, layout or memory format" + wanted};
    case Argument::Kind::list:
      if (!type.is_list) throw Refusal{"a list" + wanted};
      [[fallthrough]];
    case Argument::Kind::item:
      for (const char* known : {"Tensor", "int", "float", "bool", "Scalar"})
        if (type.name == known && !(type.is_list && type.name == "Scalar")) return;
      throw Refusal{"a number or tensor" + wanted};
  }
}

void take_arguments(HostOperators& operators, const Scope& scope, Step& step) {
  const Schema& schema = step.op->schema;
  size_t given = 0;
  step.sources.resize(schema.arguments.size());
  for (size_t i = 0; i < schema.arguments.size(); ++i) {
    const SchemaArgument& declared = schema.arguments[i];
    Source& source = step.sources[i];
    source.type = &declared.type;
    const Argument* argument = argument_of(*step.node, declared.name);
    if (!argument) {
      if (!declared.has_default && !declared.type.is_optional)
        throw Refusal{"no argument '" + declared.name + "'"};
      source.constant = default_of(declared);
      continue;
    }
    check_argument(declared.name, declared.type, *argument);
    if (is_placement(declared.type.name)) continue;
    source.argument = argument;
    given = i + 1;
    const bool is_tensor = declared.type.name == "Tensor";
    if (is_tensor && !declared.type.is_list && scope.is_number(argument->item))
      step.scalar_tensor = operators.find("aten::scalar_tensor");
  }
  step.sources.resize(given);  // the host has the defaults of the others
  if (schema.name == "aten::view") step.reshape = operators.find("aten::reshape");
  for (const auto& [own, argument] : step.node->arguments)
    if (schema.find(own) < 0 && own != "device" && own != "non_blocking")
      throw Refusal{"an argument '" + own + "' that " + schema.text + " does not have"};
}

// What batch norm and dropout are in evaluation.
void set_evaluation(Step& step) {
  const Schema& schema = step.op->schema;
  const std::string base = without_overload(schema.name);
  const auto source = [&](const char* name) {
    const int index = schema.find(name);
    return index >= 0 && size_t(index) < step.sources.size() ? index : -1;
  };
  const bool normalizes = base.find("_norm") != std::string::npos;
  const bool has_statistics = !is_none(argument_of(*step.node, "running_mean"));
  for (const char* flag : {"train", "training", "use_input_stats"}) {
    const int index = source(flag);
    if (index < 0 || schema.arguments[size_t(index)].type.name != "bool") continue;
    if (normalizes && !has_statistics) continue;  // those of the batch are all that it has
    step.training = index;
  }
  step.probability = source("dropout_p");
  // LibTorch has no derivative of it, although it uses the shape alone.
  step.without_gradients = base == "aten::randint_like";
}

// The node that makes the tensor of an argument; nullptr: none of this graph.
const Node* maker_of(const Scope& scope, const Argument* argument) {
  if (!argument || argument->kind != Argument::Kind::item ||
      argument->item.kind != Item::Kind::value)
    return nullptr;
  for (const Node& node : scope.graph.nodes)
    if (std::count(node.results.begin(), node.results.end(), argument->item.value)) return &node;
  return nullptr;
}

// function: "aten::add", whatever the overload.
bool is_call_of(const Node& node, const char* function) {
  return without_overload(operator_name(node.target)) == function;
}

// The mean of floor(rand + p), with which the models of Hugging Face's transformers drop paths;
// nullopt: it is something else.
std::optional<double> mean_of_floor(const Scope& scope, const Node& floor) {
  const Node* const sum = maker_of(scope, argument_of(floor, "self"));
  if (!sum || !is_call_of(*sum, "aten::add") || argument_of(*sum, "alpha")) return std::nullopt;
  const Node* const noise = maker_of(scope, argument_of(*sum, "self"));
  if (!noise || !(is_call_of(*noise, "aten::rand") || is_call_of(*noise, "aten::rand_like")))
    return std::nullopt;
  const Argument* const p = argument_of(*sum, "other");
  if (!p || p->kind != Argument::Kind::item || p->item.kind != Item::Kind::floating)
    return std::nullopt;
  const double mean = p->item.floating;
  return mean > 0 && mean < 1 ? std::optional(mean) : std::nullopt;
}

// In evaluation, a noise of zeros and ones becomes its mean, so that stochastic depth, which
// divides by it, leaves everything as it is.
void set_noise(HostOperators& operators, const Scope& scope, Step& step) {
  const std::string& name = step.op->schema.name;
  if (name == "aten::floor" || name == "aten::floor_") step.mean = mean_of_floor(scope, *step.node);
  // Export leaves out an argument that has its default; fill_ has none.
  if (name == "aten::bernoulli_.float" && !argument_of(*step.node, "p")) step.mean = 0.5;
  if (name == "aten::bernoulli_.float" || (name == "aten::floor_" && step.mean))
    step.in_evaluation = operators.find("aten::fill_.Scalar");
  if (name == "aten::bernoulli.p" || (name == "aten::floor" && step.mean))
    step.in_evaluation = operators.find("aten::full_like");
  // Its argument has the probabilities.
  if (name == "aten::bernoulli") step.in_evaluation = operators.find("aten::clone");
}

// In training, a dropout draws with Broch's keys.
void set_dropout(HostOperators& operators, Step& step) {
  const Argument* train = argument_of(*step.node, "train");
  if (!train || train->item.integer == 0) return;
  step.kind = Step::Kind::dropout;
  step.bernoulli = operators.find("aten::bernoulli.p");
  step.detach = operators.find("aten::detach");
  step.multiply = operators.find("aten::mul.Tensor");
  step.scale = operators.find("aten::mul.Scalar");
}

}  // namespace

void complete_call(HostOperators& operators, const Scope& scope, Step& step) {
  if (!step.op->problem.empty()) throw Refusal{step.op->problem};
  take_arguments(operators, scope, step);
  set_evaluation(step);
  set_noise(operators, scope, step);
  const std::string& name = step.op->schema.name;
  const Argument* format = argument_of(*step.node, "memory_format");
  if (name == "aten::clone" && format && format->string == "contiguous")
    step.contiguous = operators.find("aten::contiguous");
  if (name == "aten::dropout") set_dropout(operators, step);
}

}  // namespace exported
