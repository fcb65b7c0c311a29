// pointwise.hpp: executes a list of pointwise operators, on operands of one size, in one pass. A
// block of 256 elements goes through all operators before the next block is read.
//
// The bits are those of LibTorch 2.11's operators, one after another: products and sums are not
// fused.
#pragma once
#include <array>
#include <cstdint>

namespace broch::kernels {

// clang-format off
enum class PointwiseOp : uint8_t {
  add, sub, mul, div,
  neg,
  relu,   // 0 if a < 0; NaN stays NaN
  le,     // a <= b ? 1 : 0
  where,  // a != 0 ? b : c
};
// clang-format on

// Operands are numbered: first the inputs, then the results of the steps.
struct PointwiseStep {
  PointwiseOp op;
  uint8_t a = 0, b = 0, c = 0;  // as many as the operator has operands
};

// What an input is.
enum class PointwiseKind : uint8_t {
  floats,
  bytes,   // 0 to 255
  scalar,  // one float for all elements
};

struct PointwiseProgram {
  static constexpr int kMaxInputs = 8, kMaxSteps = 24, kMaxOutputs = 8;
  std::array<PointwiseKind, kMaxInputs> inputs{};
  std::array<PointwiseStep, kMaxSteps> steps{};
  std::array<uint8_t, kMaxOutputs> outputs{};  // each the number of a step's result
  int input_count = 0, step_count = 0, output_count = 0;
};

// Computes the elements [begin, end). `inputs` and `outputs` point to element 0; outputs are
// floats. An output may have exactly the memory of an input; otherwise they must not overlap.
// REQUIRES: all counts are within their limits, each operand exists before it is used, and each
// output is the result of a step.
void run_pointwise(const PointwiseProgram& program, const void* const* inputs, void* const* outputs,
                   int64_t begin, int64_t end) noexcept;

}  // namespace broch::kernels
