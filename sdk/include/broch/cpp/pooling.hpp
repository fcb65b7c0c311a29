// pooling.hpp: pooling in one, two and three dimensions.
#pragma once
#include "layer.hpp"
#include "operator.hpp"

namespace broch {
inline namespace v0 {

template <size_t N>
struct PoolingOptions {
  Extent<N> kernel = 2;
  Extent<N> stride = 0;  // 0: the same as kernel
  Extent<N> padding = 0;
};
using Pool1dOptions = PoolingOptions<1>;
using PoolOptions = PoolingOptions<2>;
using Pool3dOptions = PoolingOptions<3>;

namespace glue {

constexpr const char* kPooled[] = {"", "(N, C, L) or (C, L)", "(N, C, H, W) or (C, H, W)",
                                   "(N, C, D, H, W) or (C, D, H, W)"};

template <size_t N>
struct Pooling {
  Ints kernel, stride, padding;
};
template <size_t N>
Pooling<N> pooling(const Checked& checked, const Tensor& x, const PoolingOptions<N>& options) {
  checked.ranks("x", x, N + 1, N + 2, kPooled[N]);
  checked.at_least("kernel", options.kernel, 1);
  checked.at_least("stride", options.stride, 0);
  checked.at_least("padding", options.padding, 0);
  std::array<int64_t, N> stride;
  for (size_t d = 0; d < N; ++d) {
    if (options.padding[d] > options.kernel[d] / 2)
      checked.refuse("padding is " + options.padding.text(),
                     "at most half of the kernel, " + options.kernel.text());
    stride[d] = options.stride[d] ? options.stride[d] : options.kernel[d];
  }
  return {options.kernel.ints(), Extent<N>(stride).ints(), options.padding.ints()};
}
// An operator that opset 1 does not have: schema begins with (Tensor self, int[3] kernel_size,
// int[3] stride, int[3] padding).
inline Tensor pool3d(Tower& t, const char* schema, const Tensor& x, const Pooling<3>& how) {
  const auto ints = [](const Ints& list) { return broch_ints(list.data(), list.size()); };
  return Operator(t.ops(), t.host(), schema)(
      {broch_of(x.handle()), ints(how.kernel), ints(how.stride), ints(how.padding)});
}

}  // namespace glue

// The maximum of each window. x: (N, C, …) or (C, …) with one to three further dimensions. padding
// is at most kernel / 2.
inline Tensor max_pool1d(Tower& t, const std::string& name, const Tensor& x,
                         const Pool1dOptions& options = {}) {
  const auto how = glue::pooling(glue::Checked(t, "max_pool1d", name), x, options);
  const auto scope = t.scope(name);
  return t.publish(t.scoped("output"), t.ops().max_pool1d(x, how.kernel, how.stride, how.padding));
}
inline Tensor max_pool2d(Tower& t, const std::string& name, const Tensor& x,
                         const PoolOptions& options = {}) {
  const auto how = glue::pooling(glue::Checked(t, "max_pool2d", name), x, options);
  const auto scope = t.scope(name);
  return t.publish(t.scoped("output"), t.ops().max_pool2d(x, how.kernel, how.stride, how.padding));
}
inline Tensor max_pool3d(Tower& t, const std::string& name, const Tensor& x,
                         const Pool3dOptions& options = {}) {
  const auto how = glue::pooling(glue::Checked(t, "max_pool3d", name), x, options);
  const auto scope = t.scope(name);
  const Tensor y = glue::pool3d(t,
                                "aten::max_pool3d(Tensor self, int[3] kernel_size, int[3] "
                                "stride=[], int[3] padding=0, int[3] dilation=1, bool "
                                "ceil_mode=False) -> Tensor",
                                x, how);
  return t.publish(t.scoped("output"), y);
}

// The mean of each window; zeros of the padding count. x as in max_pool, floating-point.
inline Tensor avg_pool1d(Tower& t, const std::string& name, const Tensor& x,
                         const Pool1dOptions& options = {}) {
  const glue::Checked checked(t, "avg_pool1d", name);
  const auto how = glue::pooling(checked, x, options);
  checked.floating("x", x);
  const auto scope = t.scope(name);
  return t.publish(t.scoped("output"), t.ops().avg_pool1d(x, how.kernel, how.stride, how.padding));
}
inline Tensor avg_pool2d(Tower& t, const std::string& name, const Tensor& x,
                         const PoolOptions& options = {}) {
  const glue::Checked checked(t, "avg_pool2d", name);
  const auto how = glue::pooling(checked, x, options);
  checked.floating("x", x);
  const auto scope = t.scope(name);
  return t.publish(t.scoped("output"), t.ops().avg_pool2d(x, how.kernel, how.stride, how.padding));
}
inline Tensor avg_pool3d(Tower& t, const std::string& name, const Tensor& x,
                         const Pool3dOptions& options = {}) {
  const glue::Checked checked(t, "avg_pool3d", name);
  const auto how = glue::pooling(checked, x, options);
  checked.floating("x", x);
  const auto scope = t.scope(name);
  const Tensor y = glue::pool3d(t,
                                "aten::avg_pool3d(Tensor self, int[3] kernel_size, int[3] "
                                "stride=[], int[3] padding=0, bool ceil_mode=False, bool "
                                "count_include_pad=True, int? divisor_override=None) -> Tensor",
                                x, how);
  return t.publish(t.scoped("output"), y);
}

// The mean over height and width. x: floating-point (N, C, H, W). Returns (N, C).
inline Tensor global_avg_pool(Tower& t, const std::string& name, const Tensor& x) {
  const glue::Checked checked(t, "global_avg_pool", name);
  checked.rank("x", x, 4, "(N, C, H, W)");
  checked.floating("x", x);
  return glue::output(t, name, t.ops().mean_dim(x, {2, 3}));
}
// The maximum over height and width. x: (N, C, H, W). Returns (N, C).
inline Tensor global_max_pool(Tower& t, const std::string& name, const Tensor& x) {
  glue::Checked(t, "global_max_pool", name).rank("x", x, 4, "(N, C, H, W)");
  return glue::output(t, name, t.ops().amax(x, {2, 3}));
}
// The mean of size[0] * size[1] windows that cover x. x: floating-point (N, C, H, W). Returns (N,
// C, size[0], size[1]).
inline Tensor adaptive_avg_pool2d(Tower& t, const std::string& name, const Tensor& x,
                                  const Extent<2>& size) {
  const glue::Checked checked(t, "adaptive_avg_pool2d", name);
  checked.rank("x", x, 4, "(N, C, H, W)");
  checked.floating("x", x);
  checked.at_least("size", size, 1);
  return glue::output(t, name, t.ops().adaptive_avg_pool2d(x, size.ints()));
}

}  // namespace v0
}  // namespace broch
