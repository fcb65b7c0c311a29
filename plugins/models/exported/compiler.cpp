// compiler.cpp: a step for each node.
#include "models/exported/compiler.hpp"

#include <algorithm>

#include "models/exported/call.hpp"
#include "models/exported/memory.hpp"
#include "models/exported/numbers.hpp"
#include "models/exported/operator_choice.hpp"

namespace exported {
namespace {

class Compiler {
 public:
  explicit Compiler(HostOperators& operators) : operators_(operators) {}
  Compiled compile(const Program& program);

 private:
  std::unique_ptr<Steps> steps_of(const Graph& graph, const std::vector<int>& input_roots,
                                  std::vector<int>& output_roots);
  void add(Scope& scope, const Node& node);
  bool is_special(Scope& scope, const Node& node, const std::string& name, Step& step);
  void add_graphs(Scope& scope, const Node& node, const std::string& name);

  HostOperators& operators_;
  Memory memory_;
  std::vector<std::string> problems_;
};

Compiled Compiler::compile(const Program& program) {
  std::vector<int> roots, unused;
  for (size_t i = 0; i < program.graph.inputs.size(); ++i) roots.push_back(memory_.next());
  Compiled compiled;
  compiled.steps = steps_of(program.graph, roots, unused);
  const auto is_written = [&](size_t input) {
    return memory_.written.count(int(input)) > 0 ||
           memory_.written_in_training.count(int(input)) > 0;
  };
  for (size_t i = 0; i < program.inputs.size(); ++i)
    if (program.inputs[i].kind == Input::Kind::parameter && is_written(i))
      problems_.push_back("parameter '" + program.inputs[i].name +
                          "': the program writes to it, which only an optimizer may do");
  for (const Output& output : program.outputs)
    if (output.kind == Output::Kind::parameter)
      problems_.push_back("parameter '" + output.name +
                          "': the program changes it, which only an optimizer may do");
  compiled.written = memory_.written;
  compiled.written_in_training = memory_.written_in_training;
  compiled.problems = problems_;
  return compiled;
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
          i < input_roots.size() ? input_roots[i] : memory_.next();
  for (const Node& node : graph.nodes) {
    try {
      add(scope, node);
    } catch (const Refusal& refusal) {
      problems_.push_back(words_of(node) + ": " + refusal.reason);
      for (const int result : node.results)
        if (result >= 0) scope.roots[size_t(result)] = memory_.next();
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
  const std::string kHigherOrder = "torch.ops.higher_order.";
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
            is_same ? scope.roots[size_t(node.arguments[0].second.item.value)] : memory_.next();
      }
    scope.steps.list.push_back(std::move(step));
    return;
  }
  if (!step.op) step.op = operator_for(operators_, scope, node, name);
  complete_call(operators_, scope, step);
  memory_.follow(scope, step);
  scope.steps.list.push_back(std::move(step));
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
    step.detach = operators_.find("aten::detach");
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
      scope.roots[size_t(node.results[i])] = roots[i] >= 0 ? roots[i] : memory_.next();
  scope.steps.list.push_back(std::move(step));
}

}  // namespace

std::string words_of(const Node& node) {
  return "node '" + node.name + "' (" + node.target + ")" +
         (node.source.empty() ? "" : ", " + node.source);
}

Compiled compile(HostOperators& operators, const Program& program) {
  return Compiler(operators).compile(program);
}

}  // namespace exported
