// fold.cpp: computes what never changes before the first run.
#include <algorithm>

#include "passes/passes.hpp"

namespace broch::passes {
namespace {

// A buffer changes between runs if a call writes to it that reads a buffer which changes. It also
// does if a call of each run reads it before another one writes to it: what is computed once would
// have the last value by then.
std::vector<bool> changing_buffers(const Program& program) {
  std::vector<bool> changing(program.buffers.size());
  for (size_t i = 0; i < changing.size(); ++i) {
    const Buffer::Kind kind = program.buffers[i].kind;
    changing[i] = kind == Buffer::Kind::input || kind == Buffer::Kind::variable;
  }
  for (bool more = true; std::exchange(more, false);) {
    std::vector<bool> read(program.buffers.size());  // so far, by calls of each run
    const auto changes = [&](int buffer) { return bool(changing[buffer]); };
    const auto is_late = [&](int buffer) { return changing[buffer] || read[buffer]; };
    for (const Node& node : program.nodes) {
      if (!node.random && !node.keeps && std::ranges::none_of(node.reads, changes) &&
          std::ranges::none_of(node.writes, is_late))
        continue;
      for (const int buffer : node.reads) read[buffer] = true;
      for (const int buffer : node.writes) {
        more |= !changing[buffer];
        changing[buffer] = true;
      }
    }
  }
  return changing;
}

}  // namespace

size_t fold_constants(Program& program) {
  const std::vector<bool> changing = changing_buffers(program);
  std::vector<Node> kept;
  for (Node& node : program.nodes) {
    const bool constant = !node.keeps && std::ranges::none_of(node.writes, [&](int buffer) {
      return bool(changing[buffer]);
    });
    if (constant)  // the call that made the buffer may be gone, if it left it empty
      for (const int buffer : node.writes) program.buffers[buffer].persistent = true;
    (constant ? program.once : kept).push_back(std::move(node));
  }
  const size_t folded = program.nodes.size() - kept.size();
  program.nodes = std::move(kept);
  return folded;
}

}  // namespace broch::passes
