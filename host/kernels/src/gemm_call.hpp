// gemm_call.hpp: the arguments that the functions of a matrix product pass to each other.
#pragma once
#include "kernels/gemm.hpp"

namespace broch::kernels {

struct GemmCall {
  GemmShape shape;
  int vectors;
  const float* a;
  const float* b;
  float* c;
  GemmEpilogue epilogue;
  float* scratch;
  GemmRange range;
  bool transposed = false;  // computed as C^T = B^T A^T, see is_faster_transposed()
  bool packed = false;      // b is packed, see pack_gemm()
};

// Computes the product with one instruction set.
void run_gemm_call(Isa isa, const GemmCall& call) noexcept;

// The scratch memory, in floats, for the widest panel with k rows and any instruction set.
int64_t gemm_panel_size(int64_t k) noexcept;

// Where the sums of one block are stored.
struct SumsTile {
  float* c;
  int64_t c_row, columns;
  GemmEpilogue epilogue;  // with the bias and gate of this block
};

// One block of C. Its rows and columns are limited by the registers.
struct GemmTile : SumsTile {
  const float* a;
  int64_t a_row, a_column;
  const float* b;  // k rows of whole vectors
  int64_t b_row;
  int64_t k;
};

}  // namespace broch::kernels
