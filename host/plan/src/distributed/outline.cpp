// outline.cpp: plans as text, as far as they decide what the ranks exchange.
#include "base/text.hpp"
#include "plan/plans.hpp"

namespace broch::plan {

namespace {

// In which runs the node takes part, if not in all.
std::string turns_of(const Node& node) {
  if (node.turns.all()) return "";
  std::string text = ", in runs";
  for (const uint32_t offset : node.turns.offsets) text.append(" ").append(std::to_string(offset));
  return text + " of " + std::to_string(node.turns.every);
}

// How it exchanges values with other ranks, if it does.
std::string exchange_of(const Node& node) {
  if (node.kind == NodeKind::broadcast)
    return ", from rank " + std::to_string(node.as<BroadcastNode>().root);
  if (node.kind != NodeKind::all_reduce) return "";
  const auto& [mean, scale, float16] = node.as<AllReduceNode>();
  return std::string(mean ? ", mean" : ", sum") + " times " + base::shortest(scale) +
         (float16 ? ", sent as float16" : "");
}

}  // namespace

// The gradients of an exchange have a line each, as they decide its size.
std::string Plans::outline() const {
  std::string text;
  for (const auto& plan : plans_)
    for (const Node& node : plan->nodes()) {
      const std::string where = plan->describe(node);
      text += where + (node.inputs.empty() ? "" : ", inputs");
      for (const uint32_t input : node.inputs) text.append(" ").append(std::to_string(input));
      text += exchange_of(node) + turns_of(node) + "\n";
      if (node.kind != NodeKind::all_reduce) continue;
      for (const runtime::Variable* variable : node.bound.list)
        text += "the gradient of '" + variable->name + "' in " + where + "\n";
    }
  return text;
}

}  // namespace broch::plan
