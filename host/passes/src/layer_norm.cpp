// layer_norm.cpp: layer norm and its derivative.
#include "kernels/layer_norm.hpp"

#include <cstring>

#include "lower.hpp"
#include "parts.hpp"

namespace broch::passes {
namespace {

// A view as rows of `width` elements, which are its last dimensions and contiguous.
struct Rows {
  int64_t count = 0, width = 0;
  std::vector<int64_t> offsets;  // of rows that do not follow each other, in elements

  int64_t offset_of(int64_t row) const {
    return offsets.empty() ? row * width : offsets[static_cast<size_t>(row)];
  }
  // Calls body(first row, number of rows, offset) for the rows [begin, end).
  template <class Body>
  void each(int64_t begin, int64_t end, const Body& body) const {
    if (offsets.empty()) return body(begin, end - begin, begin * width);
    for (int64_t row = begin; row < end; ++row) body(row, 1, offset_of(row));
  }
};

std::optional<Rows> rows_of(const Program& program, int number,
                            const std::vector<int64_t>& normalized) {
  if (number == kNoView) return std::nullopt;
  const View& view = program.views[number];
  if (view.dtype != at::kFloat || view.sizes.size() < normalized.size()) return std::nullopt;
  const size_t outer = view.sizes.size() - normalized.size();
  Rows rows;
  rows.width = 1;
  for (size_t d = view.sizes.size(); d-- > outer;) {
    if (view.sizes[d] > 1 && view.strides[d] != rows.width) return std::nullopt;
    rows.width *= view.sizes[d];
  }
  if (rows.width == 0) return std::nullopt;
  rows.count = view.elements() / rows.width;
  if (view.contiguous()) return rows;
  rows.offsets.reserve(static_cast<size_t>(rows.count));
  for (int64_t row = 0; row < rows.count; ++row) {
    int64_t offset = 0, rest = row;
    for (size_t d = outer; d-- > 0; rest /= view.sizes[d])
      offset += rest % view.sizes[d] * view.strides[d];
    rows.offsets.push_back(offset);
  }
  return rows;
}

bool lower_layer_norm(const Program& program, Node& node) {
  if (!node.is("aten::native_layer_norm")) return false;
  const int x = node.argument_view(0), gamma = node.argument_view(2), beta = node.argument_view(3);
  const int y = node.result_view(0), mean = node.result_view(1), rstd = node.result_view(2);
  const auto rows = rows_of(program, x, integers_argument(node, 1));
  if (!rows || !all_dense_or_none(program, {gamma, beta, y, mean, rstd})) return false;
  const auto eps = static_cast<float>(number_argument(node, 4, 0));
  lower(node, "layer_norm", [=, rows = *rows](const Binder& binder) {
    return [=, from = at_address<float>(binder, x), g = address_or_null(binder, gamma),
            b = address_or_null(binder, beta), to = at_address<float>(binder, y),
            m = at_address<float>(binder, mean), r = at_address<float>(binder, rstd)] {
      const double cost = 10.0 * static_cast<double>(rows.width);
      in_parallel(rows.count, cost, [&](int64_t begin, int64_t end) {
        rows.each(begin, end, [&](int64_t row, int64_t count, int64_t offset) {
          kernels::layer_norm({count, rows.width, g}, from + offset, b, eps, to + row * rows.width,
                              m + row, r + row);
        });
      });
    };
  });
  return true;
}

bool lower_layer_norm_backward(const Program& program, Node& node) {
  if (!node.is("aten::native_layer_norm_backward")) return false;
  const int dy = node.argument_view(0), x = node.argument_view(1), mean = node.argument_view(3);
  const int rstd = node.argument_view(4), gamma = node.argument_view(5);
  const int dx = node.result_view(0), d_gamma = node.result_view(1), d_beta = node.result_view(2);
  const std::vector<int64_t> normalized = integers_argument(node, 2);
  const auto rows = rows_of(program, x, normalized), dy_rows = rows_of(program, dy, normalized);
  if (!rows || !dy_rows || dx == kNoView ||
      !all_dense_or_none(program, {mean, rstd, gamma, dx, d_gamma, d_beta}))
    return false;
  lower(node, "layer_norm_backward", [=, rows = *rows, dy_rows = *dy_rows](const Binder& binder) {
    return [=, output_gradient = at_address<float>(binder, dy), from = at_address<float>(binder, x),
            m = at_address<float>(binder, mean), r = at_address<float>(binder, rstd),
            to = at_address<float>(binder, dx), weight = address_or_null(binder, gamma),
            g = address_or_null(binder, d_gamma), b = address_or_null(binder, d_beta)] {
      const size_t bytes = static_cast<size_t>(rows.width) * sizeof(float);
      if (g) std::memset(g, 0, bytes);
      if (b) std::memset(b, 0, bytes);
      const auto call = [&](int64_t row, int64_t count, int64_t dy_offset, int64_t offset) {
        kernels::layer_norm_backward({count, rows.width, weight}, output_gradient + dy_offset,
                                     from + offset, m + row, r + row, to + row * rows.width, g, b);
      };
      if (rows.offsets.empty() && dy_rows.offsets.empty()) return call(0, rows.count, 0, 0);
      for (int64_t row = 0; row < rows.count; ++row)
        call(row, 1, dy_rows.offset_of(row), rows.offset_of(row));
    };
  });
  return true;
}

}  // namespace

size_t lower_layer_norms(Program& program) {
  size_t changes = 0;
  for (Node& node : program.nodes)
    changes += lower_layer_norm(program, node) || lower_layer_norm_backward(program, node);
  return changes;
}

}  // namespace broch::passes
