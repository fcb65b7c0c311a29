// accumulate.cpp: a sum of a call's result and an older value, computed in the memory of the
// latter.
#include <array>

#include "lower.hpp"

namespace broch::passes {
namespace {

bool fills_buffer(const Program& program, const View& view) {
  return view.offset == 0 &&
         static_cast<size_t>(view.elements()) * sizeof(float) == program.buffers[view.buffer].bytes;
}

// Whether both views are float32, fill their buffers and have the same layout.
bool same_layout(const Program& program, int a, int b) {
  if (a == kNoView || b == kNoView) return false;
  const View &left = program.views[a], &right = program.views[b];
  return left.dtype == at::kFloat && right.dtype == at::kFloat && left.sizes == right.sizes &&
         left.strides == right.strides && !left.conjugate && !right.conjugate && !left.negative &&
         !right.negative && fills_buffer(program, left) && fills_buffer(program, right);
}

// The first call after `at` that uses the buffer; nullopt: there is none.
std::optional<size_t> next_use(const Uses& uses, int buffer, size_t at) {
  std::optional<size_t> next;
  for (const std::vector<size_t>* list : {&uses.readers[buffer], &uses.writers[buffer]})
    for (const size_t user : *list)
      if (user > at && (!next || user < *next)) next = user;
  return next;
}

// Whether only these two calls, and calls before the first one, use the buffer.
bool is_done(const Program& program, const Uses& uses, int buffer, size_t first, size_t last) {
  const Buffer& of = program.buffers[buffer];
  if (of.kind != Buffer::Kind::value || of.persistent || of.held || uses.wanted[buffer])
    return false;
  const auto fits = [=](size_t user) { return user < first || user == last; };
  return !uses.writers[buffer].empty() && std::ranges::all_of(uses.readers[buffer], fits) &&
         std::ranges::all_of(uses.writers[buffer], [=](size_t user) { return user < first; });
}

// The sum of what call `at` computes, and an older value.
struct Sum {
  size_t node;
  int older, result;  // views
};

std::optional<Sum> sum_after(const Program& program, const Uses& uses, size_t at, int result) {
  const int buffer = program.views[result].buffer;
  const auto next = next_use(uses, buffer, at);
  if (!next || uses.writers[buffer].front() != at) return std::nullopt;
  const Node& node = program.nodes[*next];
  const bool in_place = node.is("aten::add_.Tensor");
  if ((!in_place && !node.is("aten::add.Tensor")) || number_argument(node, 2, 1) != 1)
    return std::nullopt;
  const int left = node.argument_view(0), right = node.argument_view(1);
  if (!same_layout(program, left, right) || !same_layout(program, left, node.result_view(0)))
    return std::nullopt;
  const bool is_left = program.views[left].buffer == buffer;
  const int older = is_left ? right : left;
  if (!is_left && (in_place || program.views[right].buffer != buffer)) return std::nullopt;
  if (!in_place && (uses.only_reader(program, buffer) != next || node.makes.size() != 1))
    return std::nullopt;
  if (!is_done(program, uses, program.views[older].buffer, at, *next)) return std::nullopt;
  return Sum{*next, older, node.result_view(0)};
}

// A relu that alone reads the sum.
std::optional<size_t> relu_after(const Program& program, const Uses& uses, const Sum& sum) {
  const int buffer = program.views[sum.result].buffer;
  const auto next = next_use(uses, buffer, sum.node);
  if (!next || uses.wanted[buffer]) return std::nullopt;
  const Node& node = program.nodes[*next];
  if (!node.is("aten::relu") || node.makes.size() != 1 ||
      !same_layout(program, node.argument_view(0), node.result_view(0)) ||
      !same_layout(program, sum.result, node.result_view(0)))
    return std::nullopt;
  const auto is_later = [&](size_t user) { return user > *next; };
  return std::ranges::any_of(uses.readers[buffer], is_later) ||
                 std::ranges::any_of(uses.writers[buffer], is_later)
             ? std::nullopt
             : next;
}

// Puts the values of one buffer into another one that is as large.
void rename(Program& program, int from, int to) {
  for (View& view : program.views)
    if (view.buffer == from) view.buffer = to;
  for (Node& node : program.nodes)
    for (std::vector<int>* list : {&node.reads, &node.writes, &node.makes, &node.allocation_of})
      std::ranges::replace(*list, from, to);
}

}  // namespace

std::optional<Accumulation> accumulate(Program& program, Uses& uses, size_t at, int result) {
  const auto sum = sum_after(program, uses, at, result);
  if (!sum) return std::nullopt;
  const auto relu = relu_after(program, uses, *sum);
  const int into = program.views[sum->older].buffer;
  std::array<int, 3> renamed{program.views[result].buffer, program.views[sum->result].buffer, -1};
  if (relu) renamed[2] = program.views[program.nodes[*relu].result_view(0)].buffer;
  absorb(program.nodes[sum->node]);
  if (relu) absorb(program.nodes[*relu]);
  for (const int buffer : renamed)
    if (buffer >= 0 && buffer != into) rename(program, buffer, into);
  Node& node = program.nodes[at];
  std::erase(node.makes, into);
  append_new(node.reads, into);
  uses = Uses(program);
  return Accumulation{result, relu.has_value()};
}

}  // namespace broch::passes
