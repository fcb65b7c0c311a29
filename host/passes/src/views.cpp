// views.cpp: removes calls that change no memory; a call that needs only a shape does not read.
#include <algorithm>

#include "passes/passes.hpp"

namespace broch::passes {
namespace {

// Whether the call takes a tensor only for its shape.
bool reads_shapes(const Node& node) {
  static constexpr std::string_view kNames[] = {"aten::ones_like", "aten::zeros_like",
                                                "aten::full_like", "aten::new_zeros",
                                                "aten::new_ones",  "aten::new_full"};
  return std::ranges::find(kNames, node.name) != std::end(kNames);
}

}  // namespace

size_t resolve_views(Program& program) {
  for (Node& node : program.nodes)
    if (reads_shapes(node)) node.reads.clear();
  const auto only_looks = [](const Node& node) {
    return (node.writes.empty() && !node.keeps) || node.name.starts_with("aten::empty") ||
           node.name.starts_with("aten::new_empty");
  };
  return std::erase_if(program.nodes, only_looks);
}

}  // namespace broch::passes
