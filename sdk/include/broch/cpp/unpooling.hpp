// unpooling.hpp: layers that make images larger.
#pragma once
#include "layer.hpp"

namespace broch {
inline namespace v0 {

namespace glue {
// Checks x, (N, C, H, W), and a factor for height and width. Returns the shape of x.
inline std::vector<int64_t> enlarged(const Checked& checked, const Tensor& x,
                                     const Extent<2>& factor) {
  std::vector<int64_t> shape = checked.rank("x", x, 4, "(N, C, H, W)");
  checked.floating("x", x);
  checked.at_least("factor", factor, 1);
  constexpr int64_t kMost = int64_t{1} << 16;  // beyond it, products of sizes could overflow
  if (factor[0] > kMost || factor[1] > kMost)
    checked.refuse("factor is " + factor.text(), "at most " + std::to_string(kMost));
  return shape;
}
}  // namespace glue

// Replaces each number by itself times a fixed matrix: the Kronecker product. x: floating-point (N,
// C, H, W). Returns (N, C, H * factor, W * factor). matrix: its rows, one after the other; empty: 1
// in the upper left corner and 0 elsewhere. tensorpack: `FixedUnPooling`.
inline Tensor fixed_unpool(Tower& t, const std::string& name, const Tensor& x,
                           const Extent<2>& factor, std::vector<float> matrix = {}) {
  const glue::Checked checked(t, "fixed_unpool", name);
  const std::vector<int64_t> shape = glue::enlarged(checked, x, factor);
  const size_t size = size_t(factor[0] * factor[1]);
  if (matrix.empty()) {
    matrix.assign(size, 0);
    matrix[0] = 1;
  }
  if (matrix.size() != size)
    checked.refuse("a matrix of " + std::to_string(matrix.size()) + " numbers",
                   std::to_string(size) + " for a factor of " + factor.text());
  Ops& ops = t.ops();
  const Tensor one =
      ops.to_dtype(t.constant(matrix, {1, 1, 1, factor[0], 1, factor[1]}), t.dtype(x));
  const Tensor y = ops.reshape(x, {shape[0], shape[1], shape[2], 1, shape[3], 1}) * one;
  return glue::output(
      t, name, ops.reshape(y, {shape[0], shape[1], shape[2] * factor[0], shape[3] * factor[1]}));
}

// Enlarges images, with the next pixel or by bilinear interpolation. x: floating-point (N, C, H,
// W). Returns (N, C, H * factor, W * factor). tensorpack: `BilinearUpSample`.
inline Tensor upsample_nearest(Tower& t, const std::string& name, const Tensor& x,
                               const Extent<2>& factor) {
  const auto shape = glue::enlarged(glue::Checked(t, "upsample_nearest", name), x, factor);
  return glue::output(t, name,
                      t.ops().upsample_nearest2d(x, {shape[2] * factor[0], shape[3] * factor[1]}));
}
inline Tensor upsample_bilinear(Tower& t, const std::string& name, const Tensor& x,
                                const Extent<2>& factor, bool align_corners = false) {
  const auto shape = glue::enlarged(glue::Checked(t, "upsample_bilinear", name), x, factor);
  return glue::output(
      t, name,
      t.ops().upsample_bilinear2d(x, {shape[2] * factor[0], shape[3] * factor[1]}, align_corners));
}

// Channels become pixels (Shi et al. 2016). x: (N, C * factor * factor, H, W). Returns (N, C, H *
// factor, W * factor).
inline Tensor pixel_shuffle(Tower& t, const std::string& name, const Tensor& x, int64_t factor) {
  const glue::Checked checked(t, "pixel_shuffle", name);
  const int64_t c = checked.rank("x", x, 4, "(N, C, H, W)")[1];
  checked.at_least("factor", factor, 1);
  if (factor > c || c % (factor * factor))
    checked.refuse("factor is " + std::to_string(factor) + " and " + checked.is("x", x),
                   "a factor whose square divides " + std::to_string(c));
  return glue::output(t, name, t.ops().pixel_shuffle(x, factor));
}

}  // namespace v0
}  // namespace broch
