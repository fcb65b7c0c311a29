// compiler.cpp: finds an operator of the host for each node, and who writes to whose memory.
#include "models/exported/compiler.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "models/exported/numbers.hpp"

namespace exported {

struct Compiler::Scope {
  const Graph& graph;
  Steps& steps;
  std::vector<int> roots;   // of each value: whose memory it has. Inputs of the program: 0, 1, …
  std::vector<bool> fresh;  // whether the node that makes a value gives it memory of its own
  std::vector<int> uses;    // of each value

  bool is_number(const Item& item) const {
    switch (item.kind) {
      case Item::Kind::none:
        return false;
      case Item::Kind::value:
        return graph.tensors.count(graph.values[size_t(item.value)]) == 0;
      default:
        return true;
    }
  }
};

namespace {

struct Refusal {
  std::string reason;
};

// Names of targets begin with their Python module.
const std::string kOperators = "torch.ops.", kHigherOrder = "torch.ops.higher_order.";

// "aten::add.Tensor" of "torch.ops.aten.add.Tensor"; "" of what is no operator.
std::string operator_name(const std::string& target) {
  if (target.compare(0, kOperators.size(), kOperators) != 0) return "";
  const size_t space = target.find('.', kOperators.size());
  if (space == std::string::npos) return "";
  const size_t overload = target.find('.', space + 1);
  std::string name = target.substr(kOperators.size(), space - kOperators.size()) + "::";
  name += target.substr(space + 1, overload == std::string::npos ? overload : overload - space - 1);
  if (overload != std::string::npos && target.substr(overload) != ".default")
    name += target.substr(overload);
  return name;
}

std::string without_overload(const std::string& name) { return name.substr(0, name.find('.')); }

const Argument* argument_of(const Node& node, const std::string& name) {
  for (const auto& [own, argument] : node.arguments)
    if (own == name) return &argument;
  return nullptr;
}

bool is_none(const Argument* argument) {
  return !argument ||
         (argument->kind == Argument::Kind::item && argument->item.kind == Item::Kind::none);
}

template <class Each>
void for_each_item(const Node& node, Each each) {
  for (const auto& [name, argument] : node.arguments) {
    if (argument.kind == Argument::Kind::item) each(argument.item);
    for (const Item& item : argument.items) each(item);
  }
}

// Operators that do nothing here: they check for torch.export what the example was like.
bool is_check(const std::string& name) {
  static const char* const kChecks[] = {"aten::_assert_scalar",
                                        "aten::_assert_async",
                                        "aten::_assert_tensor_metadata",
                                        "aten::sym_constrain_range",
                                        "aten::sym_constrain_range_for_size",
                                        "aten::_functional_assert_scalar",
                                        "aten::_functional_assert_async",
                                        "aten::_functional_sym_constrain_range",
                                        "aten::_functional_sym_constrain_range_for_size",
                                        "aten::_print"};
  const std::string base = without_overload(name);
  return std::any_of(std::begin(kChecks), std::end(kChecks),
                     [&](const char* check) { return base == check; });
}

// Operators whose form without the underscore has no derivative in LibTorch.
bool needs_writing(const std::string& base) {
  for (const char* name : {"aten::copy_", "aten::zero_", "aten::set_", "aten::resize_"})
    if (base == name) return true;
  return false;
}

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

}  // namespace

std::string words_of(const Node& node) {
  return "node '" + node.name + "' (" + node.target + ")" +
         (node.source.empty() ? "" : ", " + node.source);
}

std::vector<std::string> Compiler::compile(const Program& program) {
  std::vector<int> roots, unused;
  for (size_t i = 0; i < program.graph.inputs.size(); ++i) roots.push_back(next_root_++);
  executable_.steps_ = steps_of(program.graph, roots, unused);
  for (size_t i = 0; i < program.inputs.size(); ++i)
    if (program.inputs[i].kind == Input::Kind::parameter && executable_.writes_to(i, true))
      problems_.push_back("parameter '" + program.inputs[i].name +
                          "': the program writes to it, which only an optimizer may do");
  for (const Output& output : program.outputs)
    if (output.kind == Output::Kind::parameter)
      problems_.push_back("parameter '" + output.name +
                          "': the program changes it, which only an optimizer may do");
  return problems_;
}

std::unique_ptr<Steps> Compiler::steps_of(const Graph& graph, const std::vector<int>& input_roots,
                                          std::vector<int>& output_roots) {
  auto steps = std::make_unique<Steps>();
  steps->graph = &graph;
  Scope scope{graph, *steps, {}, {}, {}};
  scope.roots.assign(graph.values.size(), -1);
  scope.fresh.assign(graph.values.size(), false);
  scope.uses.assign(graph.values.size(), 0);
  const auto count = [&](const Item& item) {
    if (item.kind == Item::Kind::value) ++scope.uses[size_t(item.value)];
  };
  for (const Node& node : graph.nodes) for_each_item(node, count);
  for (const Item& output : graph.outputs) count(output);
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    if (graph.inputs[i].kind == Item::Kind::value)
      scope.roots[size_t(graph.inputs[i].value)] =
          i < input_roots.size() ? input_roots[i] : next_root_++;
  for (const Node& node : graph.nodes) {
    try {
      add(scope, node);
    } catch (const Refusal& refusal) {
      problems_.push_back(words_of(node) + ": " + refusal.reason);
      for (const int result : node.results)
        if (result >= 0) scope.roots[size_t(result)] = next_root_++;
    }
  }
  for (const Item& output : graph.outputs)
    output_roots.push_back(output.kind == Item::Kind::value ? scope.roots[size_t(output.value)]
                                                            : -1);
  return steps;
}

void Compiler::add(Scope& scope, const Node& node) {
  Step step;
  step.node = &node;
  if (node.target.compare(0, kHigherOrder.size(), kHigherOrder) == 0)
    return add_graphs(scope, node, node.target.substr(kHigherOrder.size()));
  const std::string name = operator_name(node.target);
  const bool is_number = is_number_function(node.target);
  if (is_number) {
    step.kind = Step::Kind::number;
    for (const auto& [own, argument] : node.arguments)
      if (argument.kind != Argument::Kind::item && argument.kind != Argument::Kind::list)
        throw Refusal{"an argument that is no number"};
  }
  if (!is_number && name.empty()) throw Refusal{"it is no operator that LibTorch has"};
  if (is_number || is_special(scope, node, name, step)) {
    for (const int result : node.results)
      if (result >= 0) {
        const bool is_same =
            step.kind == Step::Kind::same && node.arguments[0].second.item.value >= 0;
        scope.roots[size_t(result)] =
            is_same ? scope.roots[size_t(node.arguments[0].second.item.value)] : next_root_++;
      }
    scope.steps.list.push_back(std::move(step));
    return;
  }
  add_call(scope, node, name, std::move(step));
}

bool Compiler::is_special(Scope& scope, const Node& node, const std::string& name, Step& step) {
  const auto needs_tensor = [&] {
    if (node.arguments.empty() || node.arguments[0].second.kind != Argument::Kind::item ||
        node.arguments[0].second.item.kind != Item::Kind::value ||
        scope.is_number(node.arguments[0].second.item))
      throw Refusal{"no tensor as its first argument"};
  };
  if (is_check(name)) {
    step.kind = Step::Kind::nothing;
  } else if (name == "aten::sym_size.int" || name == "aten::sym_stride.int") {
    needs_tensor();
    if (node.arguments.size() != 2) throw Refusal{"no dimension"};
    step.kind = name == "aten::sym_size.int" ? Step::Kind::size : Step::Kind::stride;
  } else if (name == "aten::sym_numel") {
    needs_tensor();
    step.kind = Step::Kind::elements;
  } else if (name == "aten::to.device" || name == "aten::to.prim_Device") {
    needs_tensor();
    if (is_none(argument_of(node, "dtype"))) {
      step.kind = Step::Kind::same;
      return true;
    }
    step.op = operators_.find("aten::to.dtype");
    return false;
  } else {
    return false;
  }
  return true;
}

// Parts of a program that stand under the control of an operator: without gradients, under
// autocast, or one of two.
void Compiler::add_graphs(Scope& scope, const Node& node, const std::string& name) {
  Step step;
  step.kind = Step::Kind::graph;
  step.node = &node;
  size_t first_graph = node.arguments.size(), behind = 0;
  for (size_t i = 0; i < node.arguments.size(); ++i)
    if (node.arguments[i].second.kind == Argument::Kind::graph) {
      first_graph = std::min(first_graph, i);
      behind = i + 1;
    }
  const auto boolean = [&](size_t index) {
    if (index >= node.arguments.size() ||
        node.arguments[index].second.item.kind != Item::Kind::boolean)
      throw Refusal{"no true or false as argument " + std::to_string(index)};
    return node.arguments[index].second.item.integer != 0;
  };
  size_t graphs = 1;
  if (name == "wrap_with_set_grad_enabled") {
    step.without_gradients = !boolean(0);
  } else if (name == "wrap_with_autocast") {
    // Autocast for another kind of device changes nothing here.
    if (boolean(2) && node.arguments[0].second.string == "cpu")
      throw Refusal{"autocast: leave it out when exporting"};
  } else if (name == "cond") {
    step.kind = Step::Kind::choice;
    step.where = operators_.find("aten::where.self");
    graphs = 2;
  } else if (name != "invoke_subgraph" && name != "tag_activation_checkpoint" &&
             name != "wrap_activation_checkpoint" && name != "wrap" && name != "strict_mode") {
    throw Refusal{"an operator over functions that is not supported"};
  }
  std::vector<int> operand_roots;
  const auto operand = [&](const Item& item) {
    step.operands.push_back(item);
    operand_roots.push_back(item.kind == Item::Kind::value ? scope.roots[size_t(item.value)] : -1);
  };
  for (size_t i = behind; i < node.arguments.size(); ++i) {
    const Argument& argument = node.arguments[i].second;
    if (argument.kind == Argument::Kind::item && node.arguments[i].first.empty())
      operand(argument.item);
    for (const Item& item : argument.items) operand(item);
  }
  std::vector<int> roots;
  for (size_t i = first_graph; i < behind; ++i) {
    const Argument& argument = node.arguments[i].second;
    if (argument.kind != Argument::Kind::graph) throw Refusal{"its graphs in another form"};
    if (argument.graph->inputs.size() > step.operands.size())
      throw Refusal{"a graph of " + std::to_string(argument.graph->inputs.size()) +
                    " inputs, and " + std::to_string(step.operands.size()) + " operands"};
    roots.clear();
    step.graphs.push_back(steps_of(*argument.graph, operand_roots, roots));
    if (roots.size() < node.results.size()) throw Refusal{"more results than its graph has"};
  }
  if (step.graphs.size() != graphs) throw Refusal{"no graph"};
  if (step.kind == Step::Kind::choice && first_graph != 1) throw Refusal{"no condition"};
  for (size_t i = 0; i < node.results.size(); ++i)
    if (node.results[i] >= 0)
      scope.roots[size_t(node.results[i])] = roots[i] >= 0 ? roots[i] : next_root_++;
  scope.steps.list.push_back(std::move(step));
}

const HostOperator* Compiler::operator_for(Scope& scope, const Node& node,
                                           const std::string& name) {
  const HostOperator* op = operators_.find(name);
  if (!op) throw Refusal{"LibTorch has no operator " + name};
  return without_writing(scope, node, with_number(scope, node, op));
}

// x + 1 is written as add.Tensor with a number in the place of a tensor. If there is an operator
// with a number in this place, it is used.
const HostOperator* Compiler::with_number(const Scope& scope, const Node& node,
                                          const HostOperator* op) {
  for (const auto& [own, argument] : node.arguments) {
    const int index = op->schema.find(own);
    if (index < 0 || argument.kind != Argument::Kind::item || !scope.is_number(argument.item))
      continue;
    const SchemaType& type = op->schema.arguments[size_t(index)].type;
    if (type.name != "Tensor" || type.is_list) continue;
    for (const char* overload :
         {"Scalar", "Tensor_Scalar", "Scalar_mode", "ScalarOther", "ScalarSelf", "Scalar_Tensor"}) {
      const HostOperator* other =
          operators_.find(without_overload(op->schema.name) + "." + overload);
      if (!other || other->schema.arguments.size() != op->schema.arguments.size()) continue;
      bool fits = true;
      for (size_t i = 0; i < op->schema.arguments.size(); ++i) {
        const SchemaArgument &a = op->schema.arguments[i], &b = other->schema.arguments[i];
        const bool wants = int(i) == index ? b.type.name == "Scalar" : a.type == b.type;
        fits = fits && a.name == b.name && wants;
      }
      if (fits) return other;
    }
  }
  return op;
}

// relu_ becomes relu where nobody else sees the memory that it writes to. A recording can then
// treat it like any relu.
const HostOperator* Compiler::without_writing(const Scope& scope, const Node& node,
                                              const HostOperator* op) {
  const std::string base = without_overload(op->schema.name);
  if (base.back() != '_' || needs_writing(base) || node.arguments.empty()) return op;
  const Argument& self = node.arguments[0].second;
  if (self.kind != Argument::Kind::item || self.item.kind != Item::Kind::value) return op;
  const size_t value = size_t(self.item.value);
  if (!scope.fresh[value] || scope.uses[value] != 1) return op;
  const HostOperator* other =
      operators_.find(base.substr(0, base.size() - 1) + op->schema.name.substr(base.size()));
  if (!other || !other->problem.empty() ||
      other->schema.arguments.size() != op->schema.arguments.size())
    return op;
  for (size_t i = 0; i < op->schema.arguments.size(); ++i)
    if (!(op->schema.arguments[i].name == other->schema.arguments[i].name &&
          op->schema.arguments[i].type == other->schema.arguments[i].type))
      return op;
  return other;
}

void Compiler::add_call(Scope& scope, const Node& node, const std::string& name, Step step) {
  if (!step.op) step.op = operator_for(scope, node, name);
  if (!step.op->problem.empty()) throw Refusal{step.op->problem};
  take_arguments(scope, step);
  set_evaluation(step);
  const Argument* format = argument_of(node, "memory_format");
  if (name == "aten::clone" && format && format->string == "contiguous")
    step.contiguous = operators_.find("aten::contiguous");
  if (step.op->schema.name == "aten::dropout") {
    const Argument* train = argument_of(node, "train");
    if (train && train->item.integer != 0) {
      step.kind = Step::Kind::dropout;
      step.bernoulli = operators_.find("aten::bernoulli.p");
      step.detach = operators_.find("aten::detach");
      step.multiply = operators_.find("aten::mul.Tensor");
      step.scale = operators_.find("aten::mul.Scalar");
    }
  }
  follow_memory(scope, step);
  scope.steps.list.push_back(std::move(step));
}

void Compiler::take_arguments(Scope& scope, Step& step) {
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
      step.scalar_tensor = operators_.find("aten::scalar_tensor");
  }
  step.sources.resize(given);  // the host has the defaults of the others
  const auto is_tensor = [](const SchemaArgument& one) { return one.type.name == "Tensor"; };
  if (schema.find("device") >= 0 &&
      std::none_of(schema.arguments.begin(), schema.arguments.end(), is_tensor))
    step.to_other = operators_.find("aten::to.other");
  for (const auto& [own, argument] : step.node->arguments)
    if (schema.find(own) < 0 && own != "device" && own != "non_blocking")
      throw Refusal{"an argument '" + own + "' that " + schema.text + " does not have"};
}

// What batch norm and dropout are in evaluation.
void Compiler::set_evaluation(Step& step) {
  const Schema& schema = step.op->schema;
  const std::string base = without_overload(schema.name);
  const auto source = [&](const char* name) {
    const int index = schema.find(name);
    return index >= 0 && size_t(index) < step.sources.size() ? index : -1;
  };
  const bool normalises = base.find("_norm") != std::string::npos;
  const bool has_statistics = !is_none(argument_of(*step.node, "running_mean"));
  for (const char* flag : {"train", "training", "use_input_stats"}) {
    const int index = source(flag);
    if (index < 0 || schema.arguments[size_t(index)].type.name != "bool") continue;
    if (normalises && !has_statistics) continue;  // those of the batch are all that it has
    step.training = index;
  }
  step.probability = source("dropout_p");
  // LibTorch has no derivative of it, although it uses the shape alone.
  step.without_gradients = base == "aten::randint_like";
  // A noise of zeros and ones becomes its mean, so that the stochastic depth of torchvision, which
  // divides by it, leaves everything as it is.
  if (schema.name == "aten::bernoulli_.float")
    step.in_evaluation = operators_.find("aten::fill_.Scalar");
  if (schema.name == "aten::bernoulli.p") step.in_evaluation = operators_.find("aten::full_like");
}

void Compiler::written(int root, bool in_training) {
  (in_training ? executable_.written_in_training_ : executable_.written_).insert(root);
}

// Which memory the results have, and which the node writes to.
void Compiler::follow_memory(Scope& scope, const Step& step) {
  const Schema& schema = step.op->schema;
  const Node& node = *step.node;
  const auto root_of = [&](const Argument& argument) {
    if (argument.kind == Argument::Kind::item && argument.item.kind == Item::Kind::value)
      return scope.roots[size_t(argument.item.value)];
    return -1;
  };
  for (const SchemaArgument& declared : schema.arguments) {
    const Argument* argument = argument_of(node, declared.name);
    if (!argument || declared.type.name != "Tensor") continue;
    // Batch norm does not declare that it writes to its statistics.
    const bool is_statistic =
        step.training >= 0 && (declared.name == "running_mean" || declared.name == "running_var");
    const bool functional = schema.name.find("functional") != std::string::npos;
    if (!declared.type.is_written && (!is_statistic || functional)) continue;
    if (is_statistic && step.node && argument_of(node, "training") &&
        argument_of(node, "training")->item.integer == 0)
      continue;
    const bool in_training = is_statistic;
    if (root_of(*argument) >= 0) written(root_of(*argument), in_training);
    for (const Item& item : argument->items)
      if (item.kind == Item::Kind::value) written(scope.roots[size_t(item.value)], in_training);
  }
  for (size_t i = 0; i < node.results.size(); ++i) {
    if (node.results[i] < 0) continue;
    const size_t value = size_t(node.results[i]);
    // The elements of a list have the type of the list.
    const SchemaType* type =
        schema.results.empty() ? nullptr : &schema.results[std::min(i, schema.results.size() - 1)];
    int root = -1;
    if (type && !type->alias.empty())
      for (const SchemaArgument& declared : schema.arguments)
        if (declared.type.alias == type->alias)
          if (const Argument* argument = argument_of(node, declared.name))
            root = root_of(*argument);
    scope.fresh[value] = root < 0;
    scope.roots[value] = root >= 0 ? root : next_root_++;
  }
}

}  // namespace exported
