// gemm16.hpp: C(M, N) = A(M, K) B(K, N) with factors in bfloat16 and sums in float32, for
// processors with AVX512-BF16. Operands in float32 are rounded to bfloat16 while they are packed,
// so that they need no cast before the product, and none after it.
//
// Rounding: factors to nearest, ties to even; denormal numbers are zero, as this processor's
// instructions have it. Sums are in another order than in LibTorch; only for level fast. The bits
// of an element of C do not depend on the range it is computed in.
#pragma once
#include <cstdint>

#include "kernels/gemm.hpp"

namespace broch::kernels {

// Whether isa() and this processor allow these products.
bool has_gemm16() noexcept;

enum class Number : uint8_t { float32, bfloat16 };

struct Gemm16Shape {
  GemmShape shape;  // one of the strides of A is 1, and one of those of B
  Number a = Number::float32, b = Number::float32, c = Number::float32;  // as they are stored
};

// What is done with the product: add the bias, if there is one.
struct Gemm16Epilogue {
  const void* bias = nullptr;  // (N)
  Number bias_number = Number::float32;
};

class Gemm16Plan {
 public:
  explicit Gemm16Plan(const Gemm16Shape& shape) noexcept : shape_(shape) {}

  // The number of floats that each thread needs as scratch memory.
  int64_t scratch_size() const noexcept;
  GemmRange whole() const noexcept { return {0, shape_.shape.m, 0, shape_.shape.n}; }

  // C must not overlap A, B or the scratch memory. With k == 0 the product is zero. It is best to
  // split columns at multiples of 32.
  void run(const void* a, const void* b, void* c, const Gemm16Epilogue& epilogue, float* scratch,
           const GemmRange& range) const noexcept;

 private:
  Gemm16Shape shape_;
};

}  // namespace broch::kernels
