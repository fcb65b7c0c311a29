// lookups.cpp: table look-ups, fused with a concatenation of their results, and gradients of
// tables.
#include "lookups.hpp"

#include <cstring>

#include "base/error.hpp"
#include "parts.hpp"

namespace broch::passes {
namespace {

constexpr double kRowCost = 200;  // the cost of reading a row that is not in a cache, in operations

bool is_long_list(const Program& program, int view) {
  return view != kNoView && program.views[view].dtype == at::kLong &&
         program.views[view].contiguous();
}

// The distance between rows of a view of float32 rows; nullopt if it is not constant.
std::optional<int64_t> row_stride(const View& view) {
  const size_t rank = view.sizes.size();
  if (rank < 2 || view.dtype != at::kFloat || view.conjugate || view.negative ||
      (view.strides[rank - 1] != 1 && view.sizes[rank - 1] != 1))
    return std::nullopt;
  for (size_t i = 0; i + 2 < rank; ++i)
    if (view.strides[i] != view.strides[i + 1] * view.sizes[i + 1]) return std::nullopt;
  return view.strides[rank - 2];
}

// Sum, and at level fast also mean, which has another rounding than LibTorch's.
bool has_mode(const Program& program, int64_t mode) {
  constexpr int64_t kSum = 0, kMean = 1;
  return mode == kSum || (mode == kMean && program.level == Level::fast);
}

// The table, or the gradient of a table, must be float32 rows.
bool set_table(const Program& program, int view, LookUp& look_up) {
  if (!is_dense_float(program, view) || program.views[view].sizes.size() != 2) return false;
  look_up.rows = program.views[view].sizes[0];
  look_up.width = program.views[view].sizes[1];
  if (!program.buffer_of(view).variables.empty())
    look_up.table = memory_name(program, program.views[view].buffer, program.views[view].offset);
  return look_up.rows > 0 && look_up.width > 0;
}

bool set_indices(const Program& program, int indices, int offsets, LookUp& look_up) {
  constexpr int64_t kMost = 1 << 30;
  if (!is_long_list(program, indices)) return false;
  if (offsets != kNoView && !is_long_list(program, offsets)) return false;
  look_up.indices = indices;
  look_up.offsets = offsets;
  look_up.size = program.views[indices].elements();
  look_up.bags = offsets == kNoView ? look_up.size : program.views[offsets].elements();
  return look_up.size < kMost;
}

// Whether the view's elements are 0, 1, 2, …
bool counts_up(const Program& program, int view) {
  const int buffer = program.views[view].buffer;
  size_t writers = 0, counters = 0;
  for (const std::vector<Node>* nodes : {&program.nodes, &program.once})
    for (const Node& node : *nodes) {
      if (std::ranges::find(node.writes, buffer) == node.writes.end()) continue;
      ++writers;
      counters += node.is("aten::arange") && node.result_view(0) == view;
    }
  return writers == 1 && counters == 1;
}

std::optional<LookUp> look_up_of(const Program& program, const Node& node) {
  LookUp found;
  if (node.is("aten::embedding")) {
    if (!set_indices(program, node.argument_view(1), kNoView, found)) return std::nullopt;
  } else if (node.is("aten::_embedding_bag") || node.is("aten::_embedding_bag_forward_only")) {
    const bool has_weights = node.argument_view(6) != kNoView;
    const bool ends_with_size = flag_argument(node, 7, true);
    if (has_weights || ends_with_size || integer_argument(node, 8, 0) != -1 ||
        !has_mode(program, integer_argument(node, 4, -1)) ||
        !set_indices(program, node.argument_view(1), node.argument_view(2), found))
      return std::nullopt;
    found.mean = integer_argument(node, 4, 0) != 0;
  } else {
    return std::nullopt;
  }
  const bool fits = set_table(program, node.argument_view(0), found) &&
                    is_dense_float(program, node.result_view(0));
  return fits ? std::optional(found) : std::nullopt;
}

// --- forward

// Columns of the concatenated matrix: looked up, or copied.
struct Piece {
  std::optional<LookUp> look_up;
  int from = kNoView;            // the table, or what is copied
  int64_t stride = 0;            // the distance between rows of what is copied
  int64_t first = 0, width = 0;  // columns
};

struct Joined {
  std::vector<Piece> pieces;
  int to = kNoView;
  int64_t rows = 0, stride = 0;
};

struct BoundPiece {
  kernels::Bags bags;
  const float* from;
  int64_t stride, width;
  float* to;
  bool looks_up;

  void run(int64_t begin, int64_t end, int64_t to_stride) const {
    float* row = to + begin * to_stride;
    if (looks_up) return kernels::embedding_bag({from, width}, bags, begin, end, row, to_stride);
    for (int64_t i = begin; i < end; ++i, row += to_stride)
      std::memcpy(row, from + i * stride, static_cast<size_t>(width) * sizeof(float));
  }
};

// Computes a few rows of all pieces at a time, so that each row is written while it is in the
// cache.
Kernel bind_joined(const Joined& joined, const Binder& binder) {
  std::vector<BoundPiece> bound;
  for (const Piece& piece : joined.pieces)
    bound.push_back({piece.look_up ? piece.look_up->at(binder) : kernels::Bags{},
                     at_address<float>(binder, piece.from), piece.stride, piece.width,
                     at_address<float>(binder, joined.to) + piece.first, bool(piece.look_up)});
  return [joined, bound] {
    for (size_t i = 0; i < bound.size(); ++i)
      if (bound[i].looks_up) joined.pieces[i].look_up->check(bound[i].bags);
    constexpr int64_t kBlock = 32;
    const double cost = kRowCost * static_cast<double>(bound.size());
    in_parallel(joined.rows, cost, [&](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < end; at += kBlock)
        for (const BoundPiece& piece : bound)
          piece.run(at, std::min(at + kBlock, end), joined.stride);
    });
  };
}

void read_look_up(const Program& program, const LookUp& look_up, int table, Node& node) {
  append_new(node.reads, program.views[table].buffer);
  append_new(node.reads, program.views[look_up.indices].buffer);
  if (look_up.offsets != kNoView) append_new(node.reads, program.views[look_up.offsets].buffer);
}

void lower_alone(const Program& program, Node& node, const LookUp& look_up) {
  Joined joined;
  joined.to = node.result_view(0);
  joined.rows = look_up.bags;
  joined.stride = look_up.width;
  joined.pieces = {{look_up, node.argument_view(0), 0, 0, look_up.width}};
  node.results.resize(1);
  node.writes = node.makes = {program.views[joined.to].buffer};
  node.reads.clear();
  read_look_up(program, look_up, node.argument_view(0), node);
  lower(node, "look_up", [=](const Binder& binder) { return bind_joined(joined, binder); });
}

bool is_join(const Program& program, const Node& node) {
  if (!node.is("aten::cat") || !is_dense_float(program, node.result_view(0))) return false;
  const int64_t dim = integer_argument(node, 1, 0);
  return program.views[node.result_view(0)].sizes.size() == 2 && (dim == 1 || dim == -1);
}

// A look-up whose result only the concatenation reads, as a whole, can be moved there, if its
// operands are not changed in between.
std::optional<size_t> look_up_for(const Program& program, const Uses& uses, size_t join, int view) {
  const int buffer = program.views[view].buffer;
  const auto is_part = [&](int other) {
    return other != view && other != kNoView && program.views[other].buffer == buffer;
  };
  if (uses.only_reader(program, buffer) != join ||
      std::ranges::any_of(program.nodes[join].arguments[0].views, is_part))
    return std::nullopt;
  const size_t writer = uses.writers[buffer][0];
  const Node& node = program.nodes[writer];
  if (!look_up_of(program, node) || !uses.only_first_result_is_read(program, node) ||
      node.result_view(0) != view)
    return std::nullopt;
  for (const int read : node.reads)
    for (const size_t other : uses.writers[read])
      if (other > writer) return std::nullopt;
  return writer;
}

std::optional<Joined> joined_at(const Program& program, const Uses& uses, size_t i,
                                std::vector<size_t>& look_ups) {
  const Node& node = program.nodes[i];
  if (!is_join(program, node)) return std::nullopt;
  Joined joined;
  joined.to = node.result_view(0);
  joined.rows = program.views[joined.to].sizes[0];
  joined.stride = program.views[joined.to].sizes[1];
  int64_t first = 0;
  for (const int view : node.arguments[0].views) {
    const auto stride = view == kNoView ? std::nullopt : row_stride(program.views[view]);
    if (!stride || program.views[view].sizes.size() != 2) return std::nullopt;
    Piece piece{std::nullopt, view, *stride, first, program.views[view].sizes[1]};
    if (const auto writer = look_up_for(program, uses, i, view)) {
      piece.look_up = look_up_of(program, program.nodes[*writer]);
      piece.from = program.nodes[*writer].argument_view(0);
      look_ups.push_back(*writer);
    }
    first += piece.width;
    joined.pieces.push_back(piece);
  }
  return look_ups.empty() || first != joined.stride ? std::nullopt : std::optional(joined);
}

bool join_look_ups(Program& program, const Uses& uses, size_t i) {
  std::vector<size_t> look_ups;
  const auto joined = joined_at(program, uses, i, look_ups);
  if (!joined) return false;
  Node& node = program.nodes[i];
  node.reads.clear();
  node.arguments.clear();
  for (const Piece& piece : joined->pieces) {
    node.arguments.push_back({Argument::Kind::tensor, {}, {piece.from}});
    if (piece.look_up) {
      node.arguments.push_back({Argument::Kind::tensor, {}, {piece.look_up->indices}});
      read_look_up(program, *piece.look_up, piece.from, node);
    } else {
      append_new(node.reads, program.views[piece.from].buffer);
    }
  }
  lower(node, "look_ups+cat",
        [joined = *joined](const Binder& b) { return bind_joined(joined, b); });
  for (const size_t gone : look_ups) absorb(program.nodes[gone]);
  return true;
}

// --- backward

void lower_gradient(const Program& program, Node& node, const TableGradient& gradient) {
  const int result = node.result_view(0);
  node.reads = gradient.reads(program);
  lower(node, "scatter_rows", [=](const Binder& binder) {
    return [gradient, bags = gradient.of.at(binder), d_out = gradient.at(binder),
            to = at_address<float>(binder, result)] {
      gradient.of.check(bags);
      const auto count = static_cast<size_t>(gradient.of.rows * gradient.of.width);
      std::memset(to, 0, count * sizeof(float));
      kernels::embedding_bag_backward(bags, d_out, to);
    };
  });
}

}  // namespace

kernels::Bags LookUp::at(const Binder& binder) const {
  const auto* const starts = offsets == kNoView ? nullptr : at_address<int64_t>(binder, offsets);
  return {at_address<int64_t>(binder, indices), size, starts, bags, mean, padding};
}

void LookUp::check(const kernels::Bags& found) const {
  if (kernels::are_valid(found, rows)) return;
  const std::string where = table.empty() ? "embedding" : "embedding " + table;
  for (int64_t i = 0; i < size; ++i)
    if (found.indices[i] < 0 || found.indices[i] >= rows)
      base::fail(base::Exit::training, where,
                 "index " + std::to_string(found.indices[i]) + " at position " + std::to_string(i),
                 "0 to " + std::to_string(rows - 1),
                 "correct the data, or give the table more rows");
  base::fail(base::Exit::training, where, "offsets that fall or leave indices out",
             "from 0 up to the number of indices, " + std::to_string(size), "correct the offsets");
}

kernels::BagRows TableGradient::at(const Binder& binder) const {
  return {at_address<float>(binder, output_gradient), of.width, stride};
}

std::vector<int> TableGradient::reads(const Program& program) const {
  std::vector<int> buffers;
  for (const int view : {output_gradient, of.indices, of.offsets})
    if (view != kNoView) append_new(buffers, program.views[view].buffer);
  return buffers;
}

std::optional<TableGradient> table_gradient_of(const Program& program, const Node& node) {
  TableGradient found;
  LookUp& of = found.of;
  if (node.is("aten::embedding_dense_backward")) {
    const bool by_frequency = flag_argument(node, 4, true);
    if (by_frequency || !set_indices(program, node.argument_view(1), kNoView, of))
      return std::nullopt;
    of.padding = integer_argument(node, 3, -1);
  } else if (node.is("aten::_embedding_bag_backward")) {
    const bool by_frequency = flag_argument(node, 7, true), sparse = flag_argument(node, 9, true);
    const bool has_weights = node.argument_view(10) != kNoView;
    if (by_frequency || sparse || has_weights ||
        !has_mode(program, integer_argument(node, 8, -1)) ||
        !set_indices(program, node.argument_view(1), node.argument_view(2), of))
      return std::nullopt;
    of.mean = integer_argument(node, 8, 0) != 0;
    if (of.bags == of.size && counts_up(program, of.offsets)) of.offsets = kNoView;
    of.padding = integer_argument(node, 11, -1);
    found.sorts = program.level == Level::bitwise;
    if (of.mean && of.padding >= 0) return std::nullopt;  // the mean would have to leave them out
  } else {
    return std::nullopt;
  }
  found.output_gradient = node.argument_view(0);
  const auto stride = row_stride(program.views[found.output_gradient]);
  if (!stride || !set_table(program, node.result_view(0), of) ||
      program.views[found.output_gradient].elements() != of.bags * of.width)
    return std::nullopt;
  found.stride = *stride;
  return found;
}

size_t lower_look_ups(Program& program) {
  size_t changes = 0;
  for (Node& node : program.nodes)
    if (const auto gradient = table_gradient_of(program, node); gradient && !gradient->sorts) {
      lower_gradient(program, node, *gradient);
      ++changes;
    }
  const Uses uses(program);
  for (size_t i = 0; i < program.nodes.size(); ++i) changes += join_look_ups(program, uses, i);
  drop_absorbed(program.nodes);
  const Uses left(program);
  for (Node& node : program.nodes) {
    const auto look_up = look_up_of(program, node);
    // The other results, such as the sizes of bags, are only needed by LibTorch's own derivative.
    if (!look_up || !left.only_first_result_is_read(program, node)) continue;
    lower_alone(program, node, *look_up);
    ++changes;
  }
  return changes;
}

}  // namespace broch::passes
