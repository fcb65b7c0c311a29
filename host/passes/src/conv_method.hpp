// conv_method.hpp: how the result of a convolution, or the gradient of its input, is computed.
#pragma once
#include <variant>

#include "kernels/conv_few.hpp"
#include "kernels/conv_patches.hpp"
#include "kernels/winograd.hpp"
#include "lower.hpp"
#include "parts.hpp"

namespace broch::passes {

// The floating-point operations of a convolution.
double work_of(const kernels::ConvShape& shape);

// How a result or a gradient of an input is computed: as a product of patches, as products that are
// added, by tiles, or row by row. All but the first need packed weights.
class ConvMethod {
 public:
  // gradient: of the input; otherwise the result.
  ConvMethod(const kernels::ConvShape& shape, bool gradient);

  // Whether run() has to get packed weights; otherwise only run_packed() takes them.
  bool needs_packed() const { return !patches(); }
  bool can_be_packed() const { return !patches() || !gradient_; }
  int64_t packed_size() const;
  int64_t scratch_size() const;
  Parts parts_of(const kernels::ConvShape& shape) const;
  void pack(const float* weights, float* packed) const;
  void run(const void* source, const float* weights, float* to, const kernels::ConvEpilogue& after,
           const kernels::PieceRange& range, float* scratch) const;
  void run_packed(const void* from, const float* packed, float* to,
                  const kernels::ConvEpilogue& after, const kernels::PieceRange& range,
                  float* scratch) const;

 private:
  using Way = std::variant<kernels::ConvPatches, kernels::ConvFewPlan, kernels::WinogradPlan,
                           kernels::ConvPlan>;
  static Way way_for(const kernels::ConvShape& shape, bool gradient);
  const kernels::ConvPatches* patches() const { return std::get_if<kernels::ConvPatches>(&way_); }

  bool gradient_;
  Way way_;
};

// One use of a method. Weights that are packed here are packed in each run.
struct ConvCall {
  ConvMethod method;
  Parts parts;
  int from, weights, to, scratch;
  int packed = kNoView;      // memory for packed weights
  bool is_prepared = false;  // `weights` are packed
  kernels::ConvEpilogue epilogue{};
  int bias = kNoView, gate = kNoView;

  Kernel bind(const Binder& binder) const;
};

// gradient: compute the gradient of the input; otherwise the result.
ConvCall conv_call(Program& program, Node& node, const kernels::ConvShape& shape, bool gradient,
                   int from, int weights, int to);

}  // namespace broch::passes
