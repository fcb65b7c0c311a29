// winograd.hpp: convolution with kernels of 3 x 3 at stride 1 in float32, and its gradients, with
// fewer products than the definition has.
//
// A tile is 2 x 2 or 4 x 4 pixels of y and the 4 x 4 or 6 x 6 pixels of x that they need. Both x
// and the weights are transformed to as many numbers per tile and channel as it has pixels of x;
// the sums of their products over the channels are 16 or 36 matrix products, and are transformed
// back. Per pixel of y and pair of channels, 4 or 2.25 products are left of 9. Arguments and
// results are those of ConvPlan and ConvWeightsPlan (conv.hpp).
//
// NaN and infinities reach all results of the tiles that read them. The bits of a tile do not
// depend on the range it is computed in.
//
// Rounding: errors are 0.8 (tiles of 2 x 2) and 2.3 times (4 x 4) those of sums one after the
// other; only for level fast.
//
// Source: Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, 2016.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>

#include "kernels/conv.hpp"

namespace broch::kernels {

struct WinogradParts;
struct WinogradWeightsParts;

// Pixels along an edge of a tile; `faster`: chosen by the shape.
enum class WinogradEdge : int64_t { faster = 0, two = 2, four = 4 };

// Computes y from x, or dx from dy.
class WinogradPlan {
 public:
  // Whether this is faster than ConvPlan.
  static bool fits_forward(const ConvShape& shape) noexcept;
  static bool fits_backward_input(const ConvShape& shape) noexcept;

  static WinogradPlan forward(const ConvShape& shape, WinogradEdge edge = WinogradEdge::faster);
  static WinogradPlan backward_input(const ConvShape& shape,
                                     WinogradEdge edge = WinogradEdge::faster);

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

  explicit WinogradWeightsPlan(const ConvShape& shape, WinogradEdge edge = WinogradEdge::faster);

  int64_t sums_size() const noexcept;
  int64_t scratch_size() const noexcept;
  void run(const float* x, const float* dy, const ImageRange& range, float* sums,
           float* scratch) const noexcept;
  void finish(const float* sums, int64_t count, float* d_weights, float* d_bias) const noexcept;

 private:
  std::shared_ptr<const WinogradWeightsParts> parts_;
};

}  // namespace broch::kernels
