// normalization.cpp: layer norm and batch norm with their derivatives.
#include <algorithm>
#include <cstring>

#include "kernels/batch_norm.hpp"
#include "kernels/layer_norm.hpp"
#include "lower.hpp"

namespace broch::runtime {
namespace {

// Rows of `width` elements, the last dimensions of the view.
std::optional<kernels::LayerNorm> layer_norm_of(const Program& program, int view,
                                                const std::vector<int64_t>& normalized) {
  if (!is_dense_float(program, view)) return std::nullopt;
  int64_t width = 1;
  for (const int64_t size : normalized) width *= size;
  if (width == 0) return std::nullopt;
  return kernels::LayerNorm{program.views[view].elements() / width, width, nullptr};
}

bool all_dense(const Program& program, std::initializer_list<int> views) {
  return std::ranges::all_of(
      views, [&](int view) { return view == kNoView || is_dense_float(program, view); });
}

float* address_or_null(const Binder& binder, int view) {
  return view == kNoView ? nullptr : at_address<float>(binder, view);
}

bool lower_layer_norm(const Program& program, Node& node) {
  if (!node.is("aten::native_layer_norm")) return false;
  const int x = node.argument_view(0), gamma = node.argument_view(2), beta = node.argument_view(3);
  const int y = node.result_view(0), mean = node.result_view(1), rstd = node.result_view(2);
  const auto shape = layer_norm_of(program, x, integers_argument(node, 1));
  if (!shape || !all_dense(program, {gamma, beta, y, mean, rstd})) return false;
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
      !all_dense(program, {mean, rstd, gamma, dx, d_gamma, d_beta}))
    return false;
  lower(node, "layer_norm_backward", [=](const Binder& binder) {
    kernels::LayerNorm norm = *shape;
    norm.gamma = address_or_null(binder, gamma);
    return [=, upstream = at_address<float>(binder, dy), from = at_address<float>(binder, x),
            m = at_address<float>(binder, mean), r = at_address<float>(binder, rstd),
            to = at_address<float>(binder, dx), g = address_or_null(binder, d_gamma),
            b = address_or_null(binder, d_beta)] {
      const size_t bytes = static_cast<size_t>(norm.width) * sizeof(float);
      if (g) std::memset(g, 0, bytes);
      if (b) std::memset(b, 0, bytes);
      kernels::layer_norm_backward(norm, upstream, from, m, r, to, g, b);
    };
  });
  return true;
}

// Images in either layout; nullopt for others.
std::optional<kernels::BatchNorm> batch_norm_of(const Program& program, int number) {
  if (number == kNoView) return std::nullopt;
  const View& view = program.views[number];
  if (view.dtype != at::kFloat || view.sizes.size() < 2) return std::nullopt;
  kernels::BatchNorm norm;
  norm.images = view.sizes[0];
  norm.channels = view.sizes[1];
  norm.area = 1;
  for (size_t i = 2; i < view.sizes.size(); ++i) norm.area *= view.sizes[i];
  norm.channels_last = is_channels_last(view);
  if (!norm.channels_last && !view.contiguous()) return std::nullopt;
  if (norm.images * norm.channels * norm.area == 0) return std::nullopt;
  return norm;
}

bool same_layout(const Program& program, int a, int b) {
  return b != kNoView && program.views[a].sizes == program.views[b].sizes &&
         program.views[a].strides == program.views[b].strides &&
         program.views[b].dtype == at::kFloat;
}

// Calls body with parts of the channels.
template <class Body>
void over_channels(const kernels::BatchNorm& norm, const Body& body) {
  in_parallel(norm.channels, 10.0 * static_cast<double>(norm.images * norm.area),
              [&](int64_t begin, int64_t end) {
                kernels::BatchNorm part = norm;
                part.begin = begin;
                part.end = end;
                body(part);
              });
}

bool lower_batch_norm(const Program& program, Node& node, bool exactly) {
  if (!node.is("aten::native_batch_norm") || !flag_argument(node, 5, false)) return false;
  const int x = node.argument_view(0), gamma = node.argument_view(1), beta = node.argument_view(2);
  const int running_mean = node.argument_view(3), running_variance = node.argument_view(4);
  const int y = node.result_view(0), mean = node.result_view(1), inverse = node.result_view(2);
  const auto shape = batch_norm_of(program, x);
  if (!shape || !same_layout(program, x, y) || mean == kNoView || inverse == kNoView ||
      !all_dense(program, {gamma, beta, running_mean, running_variance, mean, inverse}))
    return false;
  // Without height and width LibTorch sums another way.
  if (exactly && (shape->channels_last || shape->area == 1)) return false;
  const double momentum = number_argument(node, 6, 0), eps = number_argument(node, 7, 0);
  lower(node, exactly ? "batch_norm:exact" : "batch_norm", [=](const Binder& binder) {
    kernels::BatchNorm norm = *shape;
    norm.gamma = address_or_null(binder, gamma);
    kernels::BatchNormForward call;
    call.x = at_address<float>(binder, x);
    call.beta = address_or_null(binder, beta);
    call.eps = eps;
    call.y = at_address<float>(binder, y);
    call.mean = at_address<float>(binder, mean);
    call.inverse = at_address<float>(binder, inverse);
    call.running_mean = address_or_null(binder, running_mean);
    call.running_variance = address_or_null(binder, running_variance);
    call.momentum = momentum;
    return [=] {
      over_channels(norm, [&](const kernels::BatchNorm& part) {
        exactly ? kernels::batch_norm_exactly(part, call) : kernels::batch_norm(part, call);
      });
    };
  });
  return true;
}

bool lower_batch_norm_backward(const Program& program, Node& node) {
  if (!node.is("aten::native_batch_norm_backward") || !flag_argument(node, 7, false)) return false;
  const int dy = node.argument_view(0), x = node.argument_view(1), gamma = node.argument_view(2);
  const int mean = node.argument_view(5), inverse = node.argument_view(6);
  const int dx = node.result_view(0), d_gamma = node.result_view(1), d_beta = node.result_view(2);
  const auto shape = batch_norm_of(program, x);
  if (!shape || !same_layout(program, x, dy) || !same_layout(program, x, dx) || mean == kNoView ||
      inverse == kNoView || !all_dense(program, {gamma, mean, inverse, d_gamma, d_beta}))
    return false;
  lower(node, "batch_norm_backward", [=](const Binder& binder) {
    kernels::BatchNorm norm = *shape;
    norm.gamma = address_or_null(binder, gamma);
    kernels::BatchNormBackward call;
    call.dy = at_address<float>(binder, dy);
    call.x = at_address<float>(binder, x);
    call.mean = at_address<float>(binder, mean);
    call.inverse = at_address<float>(binder, inverse);
    call.dx = at_address<float>(binder, dx);
    call.d_gamma = address_or_null(binder, d_gamma);
    call.d_beta = address_or_null(binder, d_beta);
    return [=] {
      over_channels(
          norm, [&](const kernels::BatchNorm& part) { kernels::batch_norm_backward(part, call); });
    };
  });
  return true;
}

}  // namespace

size_t lower_normalization(Program& program) {
  size_t changes = 0;
  for (Node& node : program.nodes)
    changes += lower_layer_norm(program, node) || lower_layer_norm_backward(program, node) ||
               lower_batch_norm(program, node, false) || lower_batch_norm_backward(program, node);
  return changes;
}

size_t lower_batch_norm_exactly(Program& program) {
  if (program.level != Level::bitwise || !kernels::exact_batch_norm_is_here()) return 0;
  size_t changes = 0;
  for (Node& node : program.nodes) changes += lower_batch_norm(program, node, true);
  return changes;
}

}  // namespace broch::runtime
