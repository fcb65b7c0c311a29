// prune.cpp: finds the calls that are needed, from the last to the first, by buffer.
#include <algorithm>
#include <set>

#include "passes/passes.hpp"

namespace broch::passes {
namespace {

// Random operators with the same key use one stream of numbers, one after the other. So either all
// of them run, or none.
using Sites = std::set<uint64_t>;

std::vector<bool> living(const Program& program, const Sites& needed) {
  std::vector<bool> live = program.wanted_buffers();
  std::vector<bool> lives(program.nodes.size());
  for (size_t i = program.nodes.size(); i-- > 0;) {
    const Node& node = program.nodes[i];
    lives[i] = node.keeps || (node.random && needed.contains(node.draw.key)) ||
               std::ranges::any_of(node.writes, [&](int buffer) { return bool(live[buffer]); });
    if (!lives[i]) continue;
    for (const int buffer : node.makes) live[buffer] = false;  // no earlier call writes to it
    for (const int buffer : node.reads) live[buffer] = true;
  }
  return lives;
}

}  // namespace

size_t prune(Program& program) {
  Sites needed;
  std::vector<bool> lives;
  for (size_t before = 1; before != needed.size();) {
    before = needed.size();
    lives = living(program, needed);
    for (size_t i = 0; i < lives.size(); ++i)
      if (lives[i] && program.nodes[i].random) needed.insert(program.nodes[i].draw.key);
    if (needed.empty()) break;
  }
  size_t i = 0;
  return std::erase_if(program.nodes, [&](const Node&) { return !lives[i++]; });
}

}  // namespace broch::passes
