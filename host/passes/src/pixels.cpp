// pixels.cpp: recognizes a conversion of bytes to float32, perhaps followed by a product with a
// number.
#include "pixels.hpp"

namespace broch::passes {
namespace {

// The only call that writes to the buffer of the view, if it makes all of it and nothing else.
const Node* maker_of(const Program& program, const Uses& uses, int view) {
  const int buffer = program.views[view].buffer;
  if (program.buffers[buffer].kind != Buffer::Kind::value || uses.writers[buffer].size() != 1)
    return nullptr;
  const Node& node = program.nodes[uses.writers[buffer][0]];
  return node.makes.size() == 1 && !node.results.empty() && node.result_view(0) == view ? &node
                                                                                        : nullptr;
}

}  // namespace

bool makes_floats_of_bytes(const Program& program, const Node& node) {
  if (!node.is("aten::_to_copy") || node.makes.size() != 1) return false;
  const int from = node.argument_view(0), to = node.result_view(0);
  return from != kNoView && to != kNoView && program.views[from].dtype == at::kByte &&
         program.views[to].dtype == at::kFloat &&
         program.views[from].sizes == program.views[to].sizes;
}

std::optional<Pixels> pixels_of(const Program& program, const Uses& uses, size_t at, int x) {
  const Node* node = maker_of(program, uses, x);
  if (!node) return std::nullopt;
  float scale = 1;
  int floats = x;
  if (node->is("aten::mul.Scalar")) {
    scale = static_cast<float>(number_argument(*node, 1, 1));
    floats = node->argument_view(0);
    if (floats == kNoView || program.views[floats].sizes != program.views[x].sizes ||
        program.views[floats].dtype != at::kFloat)
      return std::nullopt;
    node = maker_of(program, uses, floats);
  }
  if (!node || !makes_floats_of_bytes(program, *node)) return std::nullopt;
  const int bytes = node->argument_view(0), buffer = program.views[bytes].buffer;
  if (uses.written_between(buffer, static_cast<size_t>(node - program.nodes.data()), at))
    return std::nullopt;
  return Pixels{bytes, scale};
}

}  // namespace broch::passes
