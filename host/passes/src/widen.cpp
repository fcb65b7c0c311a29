// widen.cpp: values in bfloat16 between products become float32. Our products round their operands
// while they read them, so that a value needs no bfloat16 in memory; and what is computed between
// them then has our kernels for float32, and no casts.
#include <algorithm>

#include "kernels/gemm16.hpp"
#include "lower.hpp"

namespace broch::passes {
namespace {

// Operators that compute in the type of their arguments, and name no type themselves.
bool follows_type(const Node& node) {
  static constexpr std::string_view kNames[] = {"aten::add.Tensor",
                                                "aten::add_.Tensor",
                                                "aten::sub.Tensor",
                                                "aten::mul.Tensor",
                                                "aten::mul.Scalar",
                                                "aten::relu",
                                                "aten::relu_",
                                                "aten::threshold_backward",
                                                "aten::stack",
                                                "aten::cat",
                                                "aten::clone",
                                                "aten::copy_",
                                                "aten::neg",
                                                "aten::tanh",
                                                "aten::sigmoid",
                                                "aten::tanh_backward",
                                                "aten::sigmoid_backward"};
  if (node.is("aten::sum.dim_IntList"))
    return node.arguments.size() < 4 || node.arguments[3].value.isNone();
  return std::ranges::any_of(kNames, [&](std::string_view name) { return node.is(name); });
}

bool is_product16(const Node& node) { return node.bind && node.name.starts_with("gemm16"); }

// From one of the two types to the other one, or to the same, with elements moved or not.
bool is_cast(const Program& program, const Node& node) {
  const auto fits = [&](int view) {
    return view != kNoView &&
           (program.views[view].dtype == at::kFloat || program.views[view].dtype == at::kBFloat16);
  };
  return node.is("aten::_to_copy") && fits(node.argument_view(0)) && fits(node.result_view(0)) &&
         node.arguments[1].value.isInt();
}

template <class Body>
void each_view(const Node& node, const Body& body) {
  for (const std::vector<Argument>* list : {&node.arguments, &node.results})
    for (const Argument& argument : *list)
      for (const int view : argument.views)
        if (view != kNoView) body(view);
}

// The buffers, all of whose views are bfloat16, that can be float32.
std::vector<bool> wide_buffers(const Program& program, const Uses& uses) {
  std::vector<bool> wide(program.buffers.size()), other(program.buffers.size());
  for (const View& view : program.views)
    (view.dtype == at::kBFloat16 ? wide : other)[view.buffer] = true;
  for (size_t b = 0; b < wide.size(); ++b) {
    const Buffer& buffer = program.buffers[b];
    if (other[b] || buffer.kind != Buffer::Kind::value || buffer.held || buffer.persistent ||
        uses.wanted[b])
      wide[b] = false;
  }
  // A call that follows the type of its arguments has all of them in one type.
  for (bool changes = true; changes;) {
    changes = false;
    for (const Node& node : program.nodes) {
      if (is_product16(node) || is_cast(program, node)) continue;
      bool stays = !follows_type(node);
      each_view(node, [&](int view) {
        const View& one = program.views[view];
        stays = stays || (one.dtype == at::kBFloat16 && !wide[one.buffer]);
      });
      if (!stays) continue;
      each_view(node, [&](int view) {
        const int buffer = program.views[view].buffer;
        changes = changes || wide[buffer];
        wide[buffer] = false;
      });
    }
  }
  return wide;
}

void widen(Program& program, const std::vector<bool>& wide) {
  for (View& view : program.views)
    if (wide[view.buffer]) view.dtype = at::kFloat;
  for (size_t b = 0; b < wide.size(); ++b)
    if (wide[b]) program.buffers[b].bytes *= 2;
  for (Node& node : program.nodes) {
    for (size_t k = 0; k < node.allocations.size(); ++k)
      if (node.allocation_of[k] >= 0 && wide[node.allocation_of[k]]) node.allocations[k].bytes *= 2;
    if (is_cast(program, node))
      node.arguments[1].value = static_cast<int64_t>(program.views[node.result_view(0)].dtype);
  }
}

// Whether the result of this cast, which casts no more, can be the argument itself: nobody else
// writes to either while it is read. It lies as the argument does, or every view of it is the whole
// and no kernel reads it, which would use the strides that it had when the kernel was chosen.
bool is_the_same(const Program& program, const Uses& uses, size_t at) {
  const Node& node = program.nodes[at];
  if (!is_cast(program, node) || node.makes.size() != 1) return false;
  const int made = node.makes[0];
  const View& from = program.views[node.argument_view(0)];
  const View& to = program.views[node.result_view(0)];
  const Buffer& buffer = program.buffers[made];
  if (from.dtype != at::kFloat || to.dtype != at::kFloat || from.conjugate || from.negative ||
      from.sizes != to.sizes || buffer.held || uses.wanted[made] ||
      uses.writers[made].size() != 1 || from.buffer == made)
    return false;
  const std::vector<size_t>& readers = uses.readers[made];
  const size_t last = readers.empty() ? at : *std::ranges::max_element(readers);
  if (uses.written_between(from.buffer, at, last)) return false;
  if (from.strides == to.strides) return true;
  const auto is_kernel = [&](size_t reader) { return bool(program.nodes[reader].bind); };
  return std::ranges::none_of(readers, is_kernel) &&
         std::ranges::all_of(program.views,
                             [&](const View& view) { return view.buffer != made || view == to; });
}

void replace_by_argument(Program& program, Node& cast) {
  const View from = program.views[cast.argument_view(0)], to = program.views[cast.result_view(0)];
  for (size_t number = 0; number < program.views.size(); ++number) {
    View& view = program.views[number];
    if (view.buffer != to.buffer) continue;
    if (from.strides != to.strides) {
      view = from;
    } else {
      view.buffer = from.buffer;
      view.offset += from.offset - to.offset;
    }
    replace_view(program, static_cast<int>(number), program.view_number(View(view)));
  }
  read_instead(program, to.buffer, from.buffer);
  absorb(cast);
}

}  // namespace

size_t widen_values(Program& program) {
  if (!kernels::has_gemm16() || std::ranges::none_of(program.nodes, is_product16)) return 0;
  const std::vector<bool> wide = wide_buffers(program, Uses(program));
  const auto changes = static_cast<size_t>(std::ranges::count(wide, true));
  if (changes == 0) return 0;
  widen(program, wide);
  Uses uses(program);
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    if (!is_the_same(program, uses, i)) continue;
    replace_by_argument(program, program.nodes[i]);
    uses = Uses(program);
  }
  drop_absorbed(program.nodes);
  return changes;
}

}  // namespace broch::passes
