// pooling.cpp: max pooling and its gradient. Nothing is rounded in the first, and gradients of
// overlapping windows are added in LibTorch's order.
#include "kernels/max_pool.hpp"
#include "lower.hpp"
#include "parts.hpp"

namespace broch::passes {
namespace {

// A kernel size, stride or padding for one direction; LibTorch gives one number, or one per
// direction.
int64_t along(const std::vector<int64_t>& numbers, size_t direction, int64_t otherwise) {
  if (numbers.empty()) return otherwise;
  return numbers[numbers.size() == 1 ? 0 : direction];
}

std::optional<kernels::MaxPool> max_pool_of(const Program& program, const Node& node, int image,
                                            int pooled, size_t first) {
  if (image == kNoView || pooled == kNoView) return std::nullopt;
  const View &in = program.views[image], &out = program.views[pooled];
  const auto dilation = integers_argument(node, first + 3);
  if (in.sizes.size() != 4 || in.dtype != at::kFloat || out.dtype != at::kFloat ||
      along(dilation, 0, 1) != 1 || along(dilation, 1, 1) != 1 ||
      in.sizes[2] * in.sizes[3] > INT32_MAX)  // of which kind the kernel's places are
    return std::nullopt;
  kernels::MaxPool pool;
  pool.channels_last = is_channels_last(in);
  // For a height and width of 1 both layouts are the same.
  const bool out_is_last =
      is_channels_last(out) || (out.contiguous() && out.sizes[2] * out.sizes[3] == 1);
  const bool fits = pool.channels_last ? out_is_last : in.contiguous() && out.contiguous();
  if (!fits) return std::nullopt;
  pool.channels = in.sizes[1];
  pool.height = in.sizes[2];
  pool.width = in.sizes[3];
  const auto kernel = integers_argument(node, first), stride = integers_argument(node, first + 1);
  const auto pad = integers_argument(node, first + 2);
  pool.kernel_h = along(kernel, 0, 1);
  pool.kernel_w = along(kernel, 1, 1);
  pool.stride_h = along(stride, 0, pool.kernel_h);
  pool.stride_w = along(stride, 1, pool.kernel_w);
  pool.pad_h = along(pad, 0, 0);
  pool.pad_w = along(pad, 1, 0);
  pool.out_height = out.sizes[2];
  pool.out_width = out.sizes[3];
  return pool;
}

bool lower_max_pool(const Program& program, Node& node) {
  const bool backward = node.is("aten::max_pool2d_with_indices_backward");
  if (!backward && !node.is("aten::max_pool2d_with_indices")) return false;
  const int x = node.argument_view(backward ? 1 : 0);
  const int y = backward ? node.argument_view(0) : node.result_view(0);
  const int indices = backward ? node.argument_view(7) : node.result_view(1);
  const int result = node.result_view(0);
  const auto pool = max_pool_of(program, node, x, y, backward ? 2 : 1);
  if (!pool || indices == kNoView || program.views[indices].strides != program.views[y].strides ||
      (backward && program.views[result].strides != program.views[x].strides))
    return false;
  const int64_t images = program.views[x].sizes[0];
  lower(node, backward ? "max_pool_backward" : "max_pool", [=](const Binder& binder) -> Kernel {
    const float* const from = at_address<float>(binder, backward ? y : x);
    auto* const places = at_address<int64_t>(binder, indices);
    auto* const to = at_address<float>(binder, result);
    const double cost = 4.0 * static_cast<double>(pool->channels * pool->height * pool->width);
    return [=, pool = *pool] {
      in_parallel(images, cost, [&](int64_t begin, int64_t end) {
        if (backward)
          kernels::max_pool_backward(pool, from, places, to, begin, end);
        else
          kernels::max_pool(pool, from, to, places, begin, end);
      });
    };
  });
  return true;
}

}  // namespace

size_t lower_pooling(Program& program) {
  size_t changes = 0;
  for (Node& node : program.nodes) changes += lower_max_pool(program, node);
  return changes;
}

}  // namespace broch::passes
