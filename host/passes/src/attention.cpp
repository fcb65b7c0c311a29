// attention.cpp: scaled dot product attention and its derivative, which writes directly to the
// gradient of a packed projection.
#include "kernels/attention.hpp"

#include <algorithm>
#include <cmath>

#include "lower.hpp"
#include "parts.hpp"

namespace broch::passes {
namespace {

constexpr const char* kForward = "aten::_scaled_dot_product_flash_attention_for_cpu";
constexpr const char* kBackward = "aten::_scaled_dot_product_flash_attention_for_cpu_backward";

bool is_heads(const Program& program, int view, const std::vector<int64_t>& sizes) {
  return view != kNoView && program.views[view].dtype == at::kFloat &&
         program.views[view].sizes == sizes && program.views[view].strides[3] == 1;
}

// One of q, k, v, o or their gradients, without its address.
struct Heads {
  int view = kNoView;
  int64_t batch = 0, head = 0, position = 0;

  template <class T>
  T at(const Binder& binder) const {
    return {at_address<float>(binder, view), batch, head, position};
  }
};

Heads heads_of(const Program& program, int number) {
  const View& view = program.views[number];
  return {number, view.strides[0], view.strides[1], view.strides[2]};
}

// A mask that broadcasts to (batches, heads, positions, positions), without its address.
std::optional<Heads> mask_of(const Program& program, int number,
                             const std::vector<int64_t>& heads) {
  const View& view = program.views[number];
  const size_t rank = view.sizes.size();
  if (rank < 2 || rank > 4 || view.dtype != at::kFloat || view.sizes.back() != heads[2] ||
      (heads[2] > 1 && view.strides.back() != 1))
    return std::nullopt;
  std::array<int64_t, 3> strides{};
  for (size_t d = 4 - rank; d < strides.size(); ++d) {
    const size_t own = d - (4 - rank);
    if (view.sizes[own] != 1 && view.sizes[own] != heads[d]) return std::nullopt;
    if (view.sizes[own] != 1) strides[d] = view.strides[own];
  }
  return Heads{number, strides[0], strides[1], strides[2]};
}

// `first` is the index of the arguments dropout_p, is_causal, attn_mask, scale.
std::optional<kernels::Attention> attention_of(const Program& program, const Node& node, size_t q,
                                               size_t first) {
  const int query = node.argument_view(q);
  if (query == kNoView || program.views[query].sizes.size() != 4) return std::nullopt;
  const std::vector<int64_t>& sizes = program.views[query].sizes;
  for (size_t i = q; i < q + 3; ++i)
    if (!is_heads(program, node.argument_view(i), sizes)) return std::nullopt;
  const int mask = node.argument_view(first + 2);
  if (number_argument(node, first, 1) != 0 || !program.views[query].elements() ||
      (mask != kNoView && !mask_of(program, mask, sizes)))
    return std::nullopt;
  kernels::Attention shape;
  shape.batches = sizes[0];
  shape.heads = sizes[1];
  shape.positions = sizes[2];
  shape.features = sizes[3];
  shape.causal = flag_argument(node, first + 1, false);
  const double usual = 1 / std::sqrt(static_cast<double>(shape.features));
  shape.scale = static_cast<float>(number_argument(node, first + 3, usual));
  return shape;
}

// The heads are divided into parts, each with its own scratch memory.
Parts parts_of(const kernels::Attention& shape) {
  const int64_t heads = shape.batches * shape.heads;
  return {heads,
          4.0 * static_cast<double>(heads * shape.positions * shape.positions * shape.features)};
}

// The same with the address of its mask, if the argument is one.
kernels::Attention with_mask(const Binder& binder, kernels::Attention shape,
                             const std::optional<Heads>& mask) {
  if (mask) shape.mask = mask->at<kernels::HeadsIn>(binder);
  return shape;
}

std::optional<Heads> mask_argument(const Program& program, const Node& node, size_t q,
                                   size_t index) {
  const int mask = node.argument_view(index);
  if (mask == kNoView) return std::nullopt;
  return mask_of(program, mask, program.views[node.argument_view(q)].sizes);
}

void lower_forward(Program& program, Node& node, const kernels::Attention& plain) {
  const Heads q = heads_of(program, node.argument_view(0)),
              k = heads_of(program, node.argument_view(1));
  const Heads v = heads_of(program, node.argument_view(2)),
              o = heads_of(program, node.result_view(0));
  const std::optional<Heads> mask = mask_argument(program, node, 0, 5);
  const int sums = node.result_view(1);
  const Parts parts = parts_of(plain);
  const int64_t each = kernels::attention_scratch(plain);
  const int scratch = add_scratch(program, node, each * parts.count);
  lower(node, "attention", [=](const Binder& binder) {
    return [=, shape = with_mask(binder, plain, mask), query = q.at<kernels::HeadsIn>(binder),
            key = k.at<kernels::HeadsIn>(binder), value = v.at<kernels::HeadsIn>(binder),
            out = o.at<kernels::HeadsOut>(binder), log_sums = at_address<float>(binder, sums),
            memory = at_address<float>(binder, scratch)] {
      parts.run([&](int64_t begin, int64_t end, int64_t part) {
        kernels::attention(shape, query, key, value, out, log_sums, begin, end,
                           memory + part * each);
      });
    };
  });
}

void lower_backward(Program& program, Node& node, const kernels::Attention& plain) {
  std::array<Heads, 5> in;  // d_o, q, k, v, o
  for (size_t i = 0; i < in.size(); ++i) in[i] = heads_of(program, node.argument_view(i));
  std::array<Heads, 3> out;
  for (size_t i = 0; i < out.size(); ++i) out[i] = heads_of(program, node.result_view(i));
  const std::optional<Heads> mask = mask_argument(program, node, 1, 8);
  const int sums = node.argument_view(5);
  const Parts parts = parts_of(plain);
  const int64_t each = kernels::attention_scratch(plain);
  const int scratch = add_scratch(program, node, each * parts.count);
  lower(node, "attention_backward", [=](const Binder& binder) {
    const auto from = [&](size_t i) { return in[i].at<kernels::HeadsIn>(binder); };
    const auto to = [&](size_t i) { return out[i].at<kernels::HeadsOut>(binder); };
    return
        [=, shape = with_mask(binder, plain, mask), d_o = from(0), q = from(1), k = from(2),
         v = from(3), o = from(4), gradients = kernels::AttentionGradients{to(0), to(1), to(2)},
         log_sums = at_address<float>(binder, sums), memory = at_address<float>(binder, scratch)] {
          parts.run([&](int64_t begin, int64_t end, int64_t part) {
            kernels::attention_backward(shape, d_o, q, k, v, o, log_sums, gradients, begin, end,
                                        memory + part * each);
          });
        };
  });
}

std::optional<kernels::Attention> backward_of(const Program& program, const Node& node) {
  if (!node.is(kBackward)) return std::nullopt;
  const auto shape = attention_of(program, node, 1, 6);
  if (!shape) return std::nullopt;
  const std::vector<int64_t>& sizes = program.views[node.argument_view(1)].sizes;
  const bool fits = is_heads(program, node.argument_view(0), sizes) &&
                    is_heads(program, node.argument_view(4), sizes) &&
                    is_heads(program, node.result_view(0), sizes) &&
                    is_heads(program, node.result_view(1), sizes) &&
                    is_heads(program, node.result_view(2), sizes);
  return fits ? shape : std::nullopt;
}

// The stack along a new first dimension that alone reads the three buffers which the node makes.
Node* only_stack_of(Program& program, const Uses& uses, const Node& node,
                    const std::vector<int>& made) {
  const auto at = uses.only_reader(program, made[0]);
  if (!at || uses.only_reader(program, made[1]) != at || uses.only_reader(program, made[2]) != at)
    return nullptr;
  Node& stack = program.nodes[*at];
  if (!stack.is("aten::stack") || integer_argument(stack, 1, -1) != 0 ||
      stack.arguments[0].views.size() != made.size())
    return nullptr;
  for (const int view : stack.arguments[0].views)  // as they are, not transposed
    if (view != node.result_view(0) && view != node.result_view(1) && view != node.result_view(2))
      return nullptr;
  return &stack;
}

// to: a copy of `from`, which is a view of all of `whole` with its dimensions in another order. For
// each dimension of `whole`, the stride of that dimension in the copy; empty if it is not so.
std::vector<int64_t> strides_in_copy(const View& whole, const View& from, const View& to) {
  if (!to.contiguous() || to.offset || from.offset || from.elements() != whole.elements() ||
      from.sizes.size() != whole.sizes.size())
    return {};
  std::vector<int64_t> strides(whole.sizes.size());
  for (size_t d = 0; d < whole.sizes.size(); ++d) {
    const auto found = std::ranges::find(from.strides, whole.strides[d]);
    if (found == from.strides.end()) return {};
    const auto place = static_cast<size_t>(found - from.strides.begin());
    if (from.sizes[place] != whole.sizes[d]) return {};
    strides[d] = to.strides[place];
  }
  return strides;
}

// If the results of the node are stacked and then copied in another order, they are written
// directly to their places in the copy.
void write_through(Program& program, const Uses& uses, Node& node) {
  const std::vector<int> made = {program.views[node.result_view(0)].buffer,
                                 program.views[node.result_view(1)].buffer,
                                 program.views[node.result_view(2)].buffer};
  Node* const found = only_stack_of(program, uses, node, made);
  if (!found) return;
  Node& stack = *found;
  const int stacked = stack.result_view(0);
  const auto copy_at = uses.only_reader(program, program.views[stacked].buffer);
  if (!copy_at || !program.nodes[*copy_at].is("aten::clone")) return;
  Node& copy = program.nodes[*copy_at];
  const View to = program.views[copy.result_view(0)];
  const std::vector<int64_t> strides =
      strides_in_copy(program.views[stacked], program.views[copy.argument_view(0)], to);
  if (strides.empty() || strides.back() != 1) return;
  for (size_t i = 0; i < made.size(); ++i) {
    // The number of the result that is at this place of the stack.
    const int buffer = program.views[stack.arguments[0].views[i]].buffer;
    const auto result = static_cast<size_t>(std::ranges::find(made, buffer) - made.begin());
    View view = program.views[node.result_view(result)];
    view.buffer = to.buffer;
    view.offset = static_cast<int64_t>(i) * strides[0];
    view.strides.assign(strides.begin() + 1, strides.end());
    node.results[result].views[0] = program.view_number(view);
  }
  node.makes = {to.buffer};
  node.writes = {to.buffer};
  absorb(stack);
  absorb(copy);
}

// Our log sums have another layout than LibTorch's, so forward and backward must both be replaced.
bool only_ours_read(const Program& program, const Uses& uses, int buffer) {
  return !uses.wanted[buffer] && std::ranges::all_of(uses.readers[buffer], [&](size_t reader) {
    return backward_of(program, program.nodes[reader]).has_value();
  });
}

}  // namespace

size_t lower_attention(Program& program) {
  size_t changes = 0;
  const Uses uses(program);
  std::vector<size_t> forward, backward;
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    const Node& node = program.nodes[i];
    if (!node.is(kForward) || !attention_of(program, node, 0, 3)) continue;
    const int sums = program.views[node.result_view(1)].buffer;
    if (!is_heads(program, node.result_view(0), program.views[node.argument_view(0)].sizes) ||
        !only_ours_read(program, uses, sums))
      continue;
    forward.push_back(i);
    backward.insert(backward.end(), uses.readers[sums].begin(), uses.readers[sums].end());
  }
  for (const size_t i : forward)
    lower_forward(program, program.nodes[i], *attention_of(program, program.nodes[i], 0, 3));
  for (const size_t i : backward) {
    const kernels::Attention shape = *backward_of(program, program.nodes[i]);
    write_through(program, uses, program.nodes[i]);
    lower_backward(program, program.nodes[i], shape);
  }
  changes = forward.size() + backward.size();
  drop_absorbed(program.nodes);
  return changes;
}

}  // namespace broch::passes
