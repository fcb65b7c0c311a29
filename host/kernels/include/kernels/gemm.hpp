// gemm.hpp: C(M, N) = A(M, K) B(K, N) in float32 for matrices that fit the caches, with what
// follows the product done on the way out. A plan is made once per call site and may serve many
// threads.
//
// Rounding: sums in an order of our own with fused multiply-add; level fast only. A plan gives the
// same bits for an element of C in every range that contains it.
// Source of the blocking: Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication.
#pragma once
#include <cstdint>

#include "kernels/isa.hpp"

namespace broch::kernels {

// Elements from one row, one column to the next. A row-major matrix is {columns, 1}; its transpose
// {1, columns}.
struct Strides {
  int64_t row = 0, column = 1;
};

struct GemmShape {
  int64_t m = 0, n = 0, k = 0;
  Strides a, b;       // any; fastest where one of the two is 1
  int64_t c_row = 0;  // C is row-major, rows this far apart
};

// In this order: product, + C as it was, + bias, relu, gate. Null and false leave a step out.
struct GemmEpilogue {
  bool accumulate = false;
  const float* bias = nullptr;  // (N)
  bool relu = false;            // NaN stays NaN
  const float* gate = nullptr;  // (M, N), rows gate_row apart: C is 0 where gate <= 0
  int64_t gate_row = 0;
};

// The part of C to be written, for threads that share a product. Columns are best split at
// multiples of 64.
struct GemmRange {
  int64_t row_begin = 0, row_end = 0, column_begin = 0, column_end = 0;
};

class GemmPlan {
 public:
  explicit GemmPlan(const GemmShape& shape) noexcept;

  // Floats that run() needs beside its operands, for each thread.
  int64_t scratch_size() const noexcept;

  GemmRange whole() const noexcept { return {0, shape_.m, 0, shape_.n}; }

  // C overlaps neither A nor B nor the scratch. With k == 0 the product is zero.
  void run(const float* a, const float* b, float* c, const GemmEpilogue& epilogue,
           float* scratch) const noexcept {
    run(a, b, c, epilogue, scratch, whole());
  }
  void run(const float* a, const float* b, float* c, const GemmEpilogue& epilogue, float* scratch,
           const GemmRange& range) const noexcept;

 private:
  GemmShape shape_;
  Isa isa_;
  bool turned_;  // computed as C^T = B^T A^T
  int vectors_;  // of a panel of B, or of A^T
};

// out(N) = or += the sums of the columns of a row-major matrix (M, N) with rows `row` apart: the
// gradient of a bias.
void column_sums(const float* matrix, int64_t m, int64_t n, int64_t row, float* out,
                 bool accumulate) noexcept;

}  // namespace broch::kernels
