// scope.hpp: a graph that is being compiled.
#pragma once
#include "models/exported/step.hpp"

namespace exported {

// Why a node cannot be computed.
struct Refusal {
  std::string reason;
};

struct Scope {
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

// The argument of this name; nullptr: the node does not have it.
inline const Argument* argument_of(const Node& node, const std::string& name) {
  for (const auto& [own, argument] : node.arguments)
    if (own == name) return &argument;
  return nullptr;
}

inline bool is_none(const Argument* argument) {
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

// "aten::add" of "aten::add.Tensor".
inline std::string without_overload(const std::string& name) {
  return name.substr(0, name.find('.'));
}

}  // namespace exported
