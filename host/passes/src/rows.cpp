// rows.cpp: the gradient of a table as the rows that were looked up, if no more is needed.
//
// A step uses few rows of a large table. If an update leaves the other rows unchanged, zeros for
// them are not needed, and neither is the memory. The indices, which must not change, say where the
// rows belong. The first entry for a row that was looked up twice has the sum, and the second has
// zeros. So adding all entries to the table gives the bits of the whole gradient.
#include <ATen/ops/sort.h>

#include "lookups.hpp"
#include "passes/passes.hpp"

namespace broch::passes {
namespace {

constexpr const char* kMerge = "merge_rows";

// Whether nothing else reads or shares the memory of the gradient.
bool is_alone(const Program& program, const Uses& uses, uint32_t output, int buffer) {
  if (program.buffers[buffer].kind != Buffer::Kind::value || uses.writers[buffer].size() != 1 ||
      !uses.readers[buffer].empty())
    return false;
  return std::ranges::none_of(program.wanted, [&](uint32_t other) {
    const int view = program.outputs[other];
    return other != output && view != kNoView && program.views[view].buffer == buffer;
  });
}

// Whether the indices stay the same until the rows are used, after the program.
bool stays(const Program& program, const Uses& uses, int view, size_t writer) {
  const int buffer = program.views[view].buffer;
  return program.buffers[buffer].kind != Buffer::Kind::variable &&
         std::ranges::none_of(uses.writers[buffer], [&](size_t other) { return other > writer; });
}

bool are_other_columns(const View& one, const View& other) {
  if (one.sizes.size() != 2 || other.sizes.size() != 2 || one.dtype != other.dtype ||
      one.strides[0] != other.strides[0] || one.strides[1] != 1 || other.strides[1] != 1)
    return false;
  const int64_t stride = one.strides[0];
  const int64_t first = one.offset % stride, second = other.offset % stride;
  if (first + one.sizes[1] > stride || second + other.sizes[1] > stride) return false;
  return first + one.sizes[1] <= second || second + other.sizes[1] <= first;
}

// Whether the rows can be merged in place: each belongs to one index, and only other gradients read
// the same buffer, in other columns.
bool has_own_rows(const Program& program, const Uses& uses, const TableGradient& gradient,
                  size_t writer, const View& rows) {
  const Buffer& buffer = program.buffers[rows.buffer];
  if (gradient.of.offsets != kNoView || rows.strides[0] < rows.sizes[1] ||
      buffer.kind != Buffer::Kind::value || buffer.persistent || uses.wanted[rows.buffer])
    return false;
  for (const size_t other : uses.writers[rows.buffer])
    if (other > writer) return false;
  return std::ranges::all_of(uses.readers[rows.buffer], [&](size_t reader) {
    if (reader == writer) return true;
    const Node& other = program.nodes[reader];
    const bool is_gradient = other.name == kMerge || table_gradient_of(program, other);
    return is_gradient && are_other_columns(rows, program.views[other.argument_view(0)]);
  });
}

// The rows of the output gradient, one for each index.
View rows_of(const Program& program, const TableGradient& gradient) {
  View rows = program.views[gradient.output_gradient];
  rows.sizes = {gradient.of.size, gradient.of.width};
  rows.strides = {gradient.stride, 1};
  return rows;
}

void merge_sorted(const kernels::Bags& bags, const kernels::BagRows& d_out,
                  const at::Tensor& indices, const kernels::MergedRows& to) {
  const at::Tensor places = std::get<1>(at::sort(indices));
  std::vector<int64_t> bag_of(static_cast<size_t>(bags.size));
  kernels::bag_of_each(bags, bag_of.data());
  kernels::merge_rows_in({places.const_data_ptr<int64_t>(), bag_of.data()}, bags, d_out, to);
}

// `rows` is the view for the result.
void lower_to_rows(Program& program, Node& node, const TableGradient& gradient, int rows) {
  const int slots = add_scratch(program, node, kernels::slots_to_merge(gradient.of.size));
  const int64_t stride = program.views[rows].strides[0];
  lower(node, kMerge, [=](const Binder& binder) {
    const kernels::MergedRows to{at_address<float>(binder, rows), stride,
                                 at_address<int32_t>(binder, slots)};
    return [=, bags = gradient.of.at(binder), d_out = gradient.at(binder),
            indices = binder.tensor(gradient.of.indices)] {
      gradient.of.check(bags);
      if (gradient.sorts && kernels::meets_thrice(bags, to.slots))
        return merge_sorted(bags, d_out, indices, to);
      kernels::merge_rows(bags, d_out, to);
    };
  });
}

bool sparse_embedding_gradients(Program& program, const Uses& uses, uint32_t output) {
  const int view = program.outputs[output];
  if (view == kNoView) return false;
  const int buffer = program.views[view].buffer;
  if (!is_alone(program, uses, output, buffer)) return false;
  const size_t writer = uses.writers[buffer][0];
  Node& node = program.nodes[writer];
  const auto gradient = table_gradient_of(program, node);
  if (!gradient || node.result_view(0) != view || gradient->of.size > gradient->of.rows ||
      !stays(program, uses, gradient->of.indices, writer))
    return false;
  const LookUp& of = gradient->of;
  const View own = rows_of(program, *gradient);
  const int rows = has_own_rows(program, uses, *gradient, writer, own)
                       ? program.view_number(own)
                       : program.new_value({of.size, of.width}, at::kFloat);
  const int to = program.views[rows].buffer;
  node.reads = gradient->reads(program);
  node.writes = {to};
  node.makes = to == own.buffer ? std::vector<int>{} : node.writes;
  node.results = {{Argument::Kind::tensor, {}, {rows}}};
  lower_to_rows(program, node, *gradient, rows);
  program.outputs[output] = rows;
  program.rows.push_back({output, of.indices, {of.rows, of.width}});
  return true;
}

}  // namespace

size_t sparse_embedding_gradients(Program& program) {
  const Uses uses(program);
  size_t changes = 0;
  for (const uint32_t output : program.may_be_rows)
    changes += sparse_embedding_gradients(program, uses, output);
  return changes;
}

}  // namespace broch::passes
