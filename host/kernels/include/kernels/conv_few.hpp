// conv_few.hpp: convolutions whose results have few channels, such as pictures.
//
// ConvPlan sums channels of the results side by side in vectors, which few channels do not fill.
// Here a matrix product multiplies each pixel of the input by the weights of all taps. Then the
// products of a tap are added to the results, shifted to where the tap belongs, row by row. So
// vectors hold pixels. Arguments and results are those of ConvPlan (conv.hpp); rounding: sums are
// in another order again.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>

#include "kernels/conv.hpp"

namespace broch::kernels {

struct ConvFewParts;

// Computes y from x, at stride 1 and with less padding than the kernel has pixels, or dx from dy.
class ConvFewPlan {
 public:
  // Whether this is faster than ConvPlan.
  static bool fits_forward(const ConvShape& shape) noexcept;
  static bool fits_backward_input(const ConvShape& shape) noexcept;

  static ConvFewPlan forward(const ConvShape& shape);  // REQUIRES: fits_forward(shape)
  static ConvFewPlan backward_input(const ConvShape& shape);

  int64_t packed_size() const noexcept;
  int64_t scratch_size() const noexcept;
  void pack(const float* weights, float* packed) const noexcept;
  int64_t pieces() const noexcept;  // rows of results
  void run(const float* from, const float* packed, float* to, const ConvEpilogue& epilogue,
           const PieceRange& range, float* scratch) const noexcept;

 private:
  explicit ConvFewPlan(std::shared_ptr<const ConvFewParts> parts) noexcept
      : parts_(std::move(parts)) {}
  std::shared_ptr<const ConvFewParts> parts_;
};

}  // namespace broch::kernels
