// pointwise.hpp: a list of pointwise operators over operands of one size, in one pass. Blocks of 64
// elements go through all operators before the next block is read.
//
// Bits: those of LibTorch 2.11's operators one after another. Nothing is contracted; add_scaled is
// at::add with alpha, which rounds once with avx2 and avx512 and twice with generic.
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
  relu,                    // 0 where a < 0, NaN stays NaN
  lt, le, gt, ge, eq, ne,  // 1 or 0
  where,                   // a != 0 ? b : c
};
// clang-format on

// A value is an input by its number, or after the inputs the result of a step by its number.
struct PointwiseStep {
  PointwiseOp op;
  uint8_t a = 0, b = 0, c = 0;  // as many as the operator takes
};

enum class PointwiseKind : uint8_t {
  floats,
  booleans,  // bytes; as a value 1 or 0
  scalar,    // one float for all elements; inputs only
};

struct PointwiseProgram {
  static constexpr int kMaxInputs = 8, kMaxSteps = 24, kMaxOutputs = 8;
  struct Output {
    uint8_t value;  // of a step
    PointwiseKind kind;
  };
  std::array<PointwiseKind, kMaxInputs> inputs{};
  std::array<PointwiseStep, kMaxSteps> steps{};
  std::array<Output, kMaxOutputs> outputs{};
  int input_count = 0, step_count = 0, output_count = 0;
  SquareRoot square_root = nullptr;  // null: the nearest value (update.hpp says why it matters)
};

// Counts in bounds, operands before their use, outputs of steps and no scalars among them.
bool well_formed(const PointwiseProgram& program) noexcept;

// Elements [begin, end). inputs and outputs point at element 0. An output may be the very memory of
// an input, else they do not overlap. REQUIRES: well_formed(program).
void run_pointwise(const PointwiseProgram& program, const void* const* inputs, void* const* outputs,
                   int64_t begin, int64_t end) noexcept;

}  // namespace broch::kernels
