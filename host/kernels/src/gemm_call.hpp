// gemm_call.hpp: what the parts of a matrix product hand to each other.
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
  bool transposed = false;  // computed as C^T = B^T A^T, see turns()
};

// The product with the kernels of one instruction set.
void run_gemm_call(Isa isa, const GemmCall& call) noexcept;

// Scratch of the widest panel over k rows, with any instruction set.
int64_t gemm_panel_size(int64_t k) noexcept;

// Where the sums of one block go.
struct SumsTile {
  float* c;
  int64_t c_row, columns;
  GemmEpilogue epilogue;  // bias and gate of this block
};

// One block of C: `rows` by `columns`, at most as many as its kernel has registers for.
struct GemmTile : SumsTile {
  const float* a;
  int64_t a_row, a_column;
  const float* b;  // k rows of whole vectors
  int64_t b_row;
  int64_t k;
};

}  // namespace broch::kernels
