// winograd.hpp: convolution with kernels of 3 x 3 at stride 1 in float32, and its gradients, with
// 16 products where the definition has 36.
//
// A tile is 2 x 2 pixels of y and the 4 x 4 pixels of x that they need. Both x and the weights are
// transformed to 4 x 4 numbers per tile and channel; the sums of their products over the channels
// are 16 matrix products, and are transformed back. Arguments and results are those of ConvPlan and
// ConvWeightsPlan (conv.hpp).
// NaN and infinities reach all results of the tiles that read them. The bits of a tile do not
// depend on the range it is computed in.
// Rounding: errors as large as those of the definition, but others; only for level fast.
// Source: Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, 2016.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>

#include "kernels/conv.hpp"

namespace broch::kernels {

struct WinogradParts;
struct WinogradWeightsParts;

// Computes y from x, or dx from dy.
class WinogradPlan {
 public:
  // Whether this is faster than ConvPlan.
  static bool fits_forward(const ConvShape& shape) noexcept;
  static bool fits_backward_input(const ConvShape& shape) noexcept;

  static WinogradPlan forward(const ConvShape& shape);
  static WinogradPlan backward_input(const ConvShape& shape);

  int64_t packed_size() const noexcept;
  int64_t scratch_size() const noexcept;
  void pack(const float* weights, float* packed) const noexcept;
  int64_t pieces() const noexcept;  // rows of tiles
  void run(const float* from, const float* packed, float* to, const ConvEpilogue& epilogue,
           const PieceRange& range, float* scratch) const noexcept;

 private:
  explicit WinogradPlan(std::shared_ptr<const WinogradParts> parts) noexcept
      : parts_(std::move(parts)) {}
  std::shared_ptr<const WinogradParts> parts_;
};

// The gradients of weights and bias.
class WinogradWeightsPlan {
 public:
  // Whether this is faster than ConvWeightsPlan.
  static bool fits(const ConvShape& shape) noexcept;

  explicit WinogradWeightsPlan(const ConvShape& shape);

  int64_t sums_size() const noexcept;
  int64_t scratch_size() const noexcept;
  void run(const float* x, const float* dy, const ImageRange& range, float* sums,
           float* scratch) const noexcept;
  void finish(const float* sums, int64_t count, float* d_weights, float* d_bias) const noexcept;

 private:
  std::shared_ptr<const WinogradWeightsParts> parts_;
};

}  // namespace broch::kernels
