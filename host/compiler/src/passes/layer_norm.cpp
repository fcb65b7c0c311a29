// layer_norm.cpp: layer norm and its derivative.
#include "kernels/layer_norm.hpp"

#include <cstring>

#include "lower.hpp"

namespace broch::compiler {
namespace {

// The shape as rows of `width` elements, which are the last dimensions of the view.
std::optional<kernels::LayerNorm> layer_norm_of(const Program& program, int view,
                                                const std::vector<int64_t>& normalized) {
  if (!is_dense_float(program, view)) return std::nullopt;
  int64_t width = 1;
  for (const int64_t size : normalized) width *= size;
  if (width == 0) return std::nullopt;
  return kernels::LayerNorm{program.views[view].elements() / width, width, nullptr};
}

bool lower_layer_norm(const Program& program, Node& node) {
  if (!node.is("aten::native_layer_norm")) return false;
  const int x = node.argument_view(0), gamma = node.argument_view(2), beta = node.argument_view(3);
  const int y = node.result_view(0), mean = node.result_view(1), rstd = node.result_view(2);
  const auto shape = layer_norm_of(program, x, integers_argument(node, 1));
  if (!shape || !all_dense_or_none(program, {gamma, beta, y, mean, rstd})) return false;
  const auto eps = static_cast<float>(number_argument(node, 4, 0));
  lower(node, "layer_norm", [=](const Binder& binder) {
    kernels::LayerNorm norm = *shape;
    norm.gamma = address_or_null(binder, gamma);
    return [=, from = at_address<float>(binder, x), b = address_or_null(binder, beta),
            to = at_address<float>(binder, y), m = at_address<float>(binder, mean),
            r = at_address<float>(binder, rstd)] {
      in_parallel(
          norm.rows, 10.0 * static_cast<double>(norm.width), [&](int64_t begin, int64_t end) {
            kernels::LayerNorm part = norm;
            part.rows = end - begin;
            const int64_t first = begin * norm.width;
            kernels::layer_norm(part, from + first, b, eps, to + first, m + begin, r + begin);
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
  const auto shape = layer_norm_of(program, x, integers_argument(node, 2));
  if (!shape || dx == kNoView || !is_dense_float(program, dy) ||
      !all_dense_or_none(program, {mean, rstd, gamma, dx, d_gamma, d_beta}))
    return false;
  lower(node, "layer_norm_backward", [=](const Binder& binder) {
    kernels::LayerNorm norm = *shape;
    norm.gamma = address_or_null(binder, gamma);
    return [=, output_gradient = at_address<float>(binder, dy), from = at_address<float>(binder, x),
            m = at_address<float>(binder, mean), r = at_address<float>(binder, rstd),
            to = at_address<float>(binder, dx), g = address_or_null(binder, d_gamma),
            b = address_or_null(binder, d_beta)] {
      const size_t bytes = static_cast<size_t>(norm.width) * sizeof(float);
      if (g) std::memset(g, 0, bytes);
      if (b) std::memset(b, 0, bytes);
      kernels::layer_norm_backward(norm, output_gradient, from, m, r, to, g, b);
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

}  // namespace broch::compiler
