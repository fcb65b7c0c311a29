// gemm.hpp: C(M, N) = A(M, K) B(K, N) in float32, for matrices that fit the caches. Operations that
// follow the product are done before C is stored. A plan is made once per call site and may be used
// by several threads.
//
// Rounding: sums are in another order than in LibTorch and use fused multiply-add; only for level
// fast. The bits of an element of C do not depend on the range it is computed in.
// Source of the blocking: Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication.
#pragma once
#include <cstdint>

#include "kernels/isa.hpp"

namespace broch::kernels {

// The distances between rows and between columns, in elements. A row-major matrix has {columns, 1},
// its transpose {1, columns}.
struct Strides {
  int64_t row = 0, column = 1;
};

struct GemmShape {
  int64_t m = 0, n = 0, k = 0;
  Strides a, b;       // arbitrary; fastest if one of the two is 1
  int64_t c_row = 0;  // C is row-major; the distance between its rows
};

// What is done with the product, in this order: add the old value of C, add the bias, relu, gate.
// Null and false leave a step out.
struct GemmEpilogue {
  bool accumulate = false;
  const float* bias = nullptr;  // (N)
  bool relu = false;            // NaN stays NaN
  const float* gate = nullptr;  // (M, N) with gate_row between its rows: C is 0 where gate <= 0
  int64_t gate_row = 0;
};

// The part of C to compute, so that threads can divide a product. It is best to split columns at
// multiples of 64.
struct GemmRange {
  int64_t row_begin = 0, row_end = 0, column_begin = 0, column_end = 0;
};

class GemmPlan {
 public:
  explicit GemmPlan(const GemmShape& shape) noexcept;

  // The number of floats that each thread needs as scratch memory.
  int64_t scratch_size() const noexcept;

  GemmRange whole() const noexcept { return {0, shape_.m, 0, shape_.n}; }

  // C must not overlap A, B or the scratch memory. With k == 0 the product is zero.
  void run(const float* a, const float* b, float* c, const GemmEpilogue& epilogue,
           float* scratch) const noexcept {
    run(a, b, c, epilogue, scratch, whole());
  }
  void run(const float* a, const float* b, float* c, const GemmEpilogue& epilogue, float* scratch,
           const GemmRange& range) const noexcept;

 private:
  GemmShape shape_;
  Isa isa_;
  bool transposed_;  // computed as C^T = B^T A^T
  int vectors_;      // the width, in vectors, of a panel of B, or of A^T if transposed_
};

// The same with a B that never changes: pack() writes it once in the order in which run() reads it.
class PackedGemmPlan {
 public:
  explicit PackedGemmPlan(const GemmShape& shape) noexcept;
  // For another A, with the same packed B.
  PackedGemmPlan with(int64_t m, const Strides& a) const noexcept;

  int64_t packed_size() const noexcept;  // in floats
  int64_t panel() const noexcept;        // a range has to begin at a multiple of so many columns
  GemmRange whole() const noexcept { return {0, shape_.m, 0, shape_.n}; }

  void pack(const float* b, float* packed) const noexcept;
  // Where pack() puts a vector of row k of B, which begins at a column that is a multiple of its
  // length.
  int64_t place(int64_t k, int64_t column) const noexcept;
  // C must not overlap A or B.
  void run(const float* a, const float* packed, float* c, const GemmEpilogue& epilogue,
           const GemmRange& range) const noexcept;

 private:
  GemmShape shape_;
  Isa isa_;
  int vectors_;  // the width, in vectors, of a panel of B
};

// out(N) = or += the sums of the columns of a row-major matrix (M, N), whose rows are `row`
// elements apart: the gradient of a bias.
void column_sums(const float* matrix, int64_t m, int64_t n, int64_t row, float* out,
                 bool accumulate) noexcept;

}  // namespace broch::kernels
