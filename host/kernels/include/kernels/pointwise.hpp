// pointwise.hpp: executes a list of pointwise operators, on operands of one size, in one pass. A
// block of 256 elements goes through all operators before the next block is read.
//
// The bits are those of LibTorch 2.11's operators, one after another. Products and sums are not
// fused, except in add_scaled: it is at::add with alpha, which rounds once with avx2 and avx512 and
// twice with generic.
#pragma once
#include <array>
#include <cstdint>

#include "kernels/update.hpp"

namespace broch::kernels {

// clang-format off
enum class PointwiseOp : uint8_t {
  add, sub, mul, div,
  add_scaled,  // a + c * b
  neg, abs, sqrt,
  relu,                    // 0 if a < 0; NaN stays NaN
  lt, le, gt, ge, eq, ne,  // 1 or 0
  where,                   // a != 0 ? b : c
};
// clang-format on

// Operands are numbered: first the inputs, then the results of the steps.
struct PointwiseStep {
  PointwiseOp op;
  uint8_t a = 0, b = 0, c = 0;  // as many as the operator has operands
};

enum class PointwiseKind : uint8_t {
  floats,
  booleans,  // bytes; 1 or 0 as an operand
  bytes,     // 0 to 255; inputs only
  scalar,    // one float for all elements; inputs only
};

struct PointwiseProgram {
  static constexpr int kMaxInputs = 8, kMaxSteps = 24, kMaxOutputs = 8;
  struct Output {
    uint8_t value;  // the number of a step's result
    PointwiseKind kind;
  };
  std::array<PointwiseKind, kMaxInputs> inputs{};
  std::array<PointwiseStep, kMaxSteps> steps{};
  std::array<Output, kMaxOutputs> outputs{};
  int input_count = 0, step_count = 0, output_count = 0;
  SquareRoot square_root = nullptr;  // null: correctly rounded (see update.hpp for other ones)
};

// Whether all counts are within their limits, each operand exists before it is used, and each
// output is the result of a step, and floats or booleans.
bool well_formed(const PointwiseProgram& program) noexcept;

// Computes the elements [begin, end). `inputs` and `outputs` point to element 0. An output may have
// exactly the memory of an input; otherwise they must not overlap. REQUIRES: well_formed(program).
void run_pointwise(const PointwiseProgram& program, const void* const* inputs, void* const* outputs,
                   int64_t begin, int64_t end) noexcept;

}  // namespace broch::kernels
