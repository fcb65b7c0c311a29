// memory.cpp: follows memory through the calls of a program.
#include "models/exported/memory.hpp"

#include <algorithm>

namespace exported {
namespace {

// -1: no tensor.
int root_of(const Scope& scope, const Argument& argument) {
  if (argument.kind == Argument::Kind::item && argument.item.kind == Item::Kind::value)
    return scope.roots[size_t(argument.item.value)];
  return -1;
}

}  // namespace

void Memory::follow_writing(const Scope& scope, const Step& call) {
  const Schema& schema = call.op->schema;
  const Node& node = *call.node;
  for (const SchemaArgument& declared : schema.arguments) {
    const Argument* argument = argument_of(node, declared.name);
    if (!argument || declared.type.name != "Tensor") continue;
    // Batch norm does not declare that it writes to its statistics.
    const bool is_statistic =
        call.training >= 0 && (declared.name == "running_mean" || declared.name == "running_var");
    const bool functional = schema.name.find("functional") != std::string::npos;
    if (!declared.type.is_written && (!is_statistic || functional)) continue;
    if (is_statistic && call.node && argument_of(node, "training") &&
        argument_of(node, "training")->item.integer == 0)
      continue;
    std::set<int>& numbers = is_statistic ? written_in_training : written;
    if (const int root = root_of(scope, *argument); root >= 0) numbers.insert(root);
    for (const Item& item : argument->items)
      if (item.kind == Item::Kind::value) numbers.insert(scope.roots[size_t(item.value)]);
  }
}

void Memory::follow(Scope& scope, const Step& call) {
  follow_writing(scope, call);
  const Schema& schema = call.op->schema;
  const Node& node = *call.node;
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
            root = root_of(scope, *argument);
    scope.fresh[value] = root < 0;
    scope.roots[value] = root >= 0 ? root : next();
  }
}

}  // namespace exported
