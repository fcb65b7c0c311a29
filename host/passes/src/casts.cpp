// casts.cpp: casts of one value to one type, of which mixed precision makes many, become one.
#include <algorithm>

#include "lower.hpp"

namespace broch::passes {
namespace {

// A cast that makes a new buffer which no other call writes to.
bool is_cast(const Program& program, const Uses& uses, const Node& node) {
  if (!node.is("aten::_to_copy") || node.makes.size() != 1) return false;
  const int buffer = node.makes[0];
  return program.buffers[buffer].kind == Buffer::Kind::value && uses.writers[buffer].size() == 1 &&
         node.argument_view(0) != kNoView;
}

bool makes_the_same(const Program& program, const Node& a, const Node& b) {
  if (a.argument_view(0) != b.argument_view(0)) return false;
  View left = program.views[a.result_view(0)];
  const View& right = program.views[b.result_view(0)];
  left.buffer = right.buffer;
  return left == right;
}

// Lets every view of a buffer be one of another buffer.
void redirect(Program& program, int from, int to) {
  for (View& view : program.views)
    if (view.buffer == from) view.buffer = to;
  for (size_t number = 0; number < program.views.size(); ++number) {
    const View view = program.views[number];
    if (view.buffer == to)
      replace_view(program, static_cast<int>(number), program.view_number(view));
  }
  read_instead(program, from, to);
}

}  // namespace

size_t share_casts(Program& program) {
  const Uses uses(program);
  std::vector<size_t> casts;
  size_t shared = 0;
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    Node& node = program.nodes[i];
    if (!is_cast(program, uses, node)) continue;
    const int source = program.views[node.argument_view(0)].buffer, made = node.makes[0];
    const auto earlier = std::ranges::find_if(casts, [&](size_t k) {
      return makes_the_same(program, program.nodes[k], node) && !uses.written_between(source, k, i);
    });
    if (earlier == casts.end() || uses.wanted[made]) {
      casts.push_back(i);
      continue;
    }
    const int kept = program.nodes[*earlier].makes[0];
    absorb(node);
    redirect(program, made, kept);
    ++shared;
  }
  drop_absorbed(program.nodes);
  return shared;
}

}  // namespace broch::passes
