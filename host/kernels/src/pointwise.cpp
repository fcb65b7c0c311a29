// pointwise.cpp: interprets a list of pointwise operators, block by block.
#include "kernels/pointwise.hpp"

#include "targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pointwise.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "vectors-inl.hpp"

#ifndef BROCH_KERNELS_POINTWISE_PARTS
#define BROCH_KERNELS_POINTWISE_PARTS
namespace broch::kernels {
constexpr int64_t kBlock = 64;
constexpr int kMaxValues = PointwiseProgram::kMaxInputs + PointwiseProgram::kMaxSteps;
}  // namespace broch::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

// Where each operand of the current block is: in its own element of `blocks`, or in the caller's
// memory.
struct Values {
  HWY_ALIGN float blocks[kMaxValues][kBlock];
  const float* at[kMaxValues];
};

template <class Operation>
HWY_INLINE void each(float* to, const Operation& operation) {
  for (int64_t i = 0; i < kBlock; i += lanes()) store(operation(i), to + i);
}

template <class Compare>
HWY_INLINE void compare(const float* a, const float* b, float* to, const Compare& holds) {
  each(to, [=](int64_t i)
               HWY_ATTR { return hn::IfThenElseZero(holds(load(a + i), load(b + i)), set(1)); });
}

void square_roots(const float* a, float* to, SquareRoot square_root) {
  if (square_root) return square_root(kBlock, a, to);
  each(to, [=](int64_t i) HWY_ATTR { return hn::Sqrt(load(a + i)); });
}

void step_over(const PointwiseStep& step, const Values& values, float* to, SquareRoot root) {
  const float *const a = values.at[step.a], *const b = values.at[step.b];
  const float* const c = values.at[step.c];
  switch (step.op) {
    case PointwiseOp::add:
      return each(to, [=](int64_t i) HWY_ATTR { return hn::Add(load(a + i), load(b + i)); });
    case PointwiseOp::sub:
      return each(to, [=](int64_t i) HWY_ATTR { return hn::Sub(load(a + i), load(b + i)); });
    case PointwiseOp::mul:
      return each(to, [=](int64_t i) HWY_ATTR { return hn::Mul(load(a + i), load(b + i)); });
    case PointwiseOp::div:
      return each(to, [=](int64_t i) HWY_ATTR { return hn::Div(load(a + i), load(b + i)); });
    case PointwiseOp::add_scaled:
      return each(to, [=](int64_t i)
                          HWY_ATTR { return hn::MulAdd(load(c + i), load(b + i), load(a + i)); });
    case PointwiseOp::neg:
      return each(to, [=](int64_t i) HWY_ATTR { return hn::Neg(load(a + i)); });
    case PointwiseOp::abs:
      return each(to, [=](int64_t i) HWY_ATTR { return hn::Abs(load(a + i)); });
    case PointwiseOp::sqrt:
      return square_roots(a, to, root);
    case PointwiseOp::relu:
      return each(to, [=](int64_t i) HWY_ATTR {
        const F x = load(a + i);
        return hn::IfThenZeroElse(hn::Lt(x, set(0)), x);
      });
    case PointwiseOp::lt:
      return compare(a, b, to, [](F x, F y) HWY_ATTR { return hn::Lt(x, y); });
    case PointwiseOp::le:
      return compare(a, b, to, [](F x, F y) HWY_ATTR { return hn::Le(x, y); });
    case PointwiseOp::gt:
      return compare(a, b, to, [](F x, F y) HWY_ATTR { return hn::Gt(x, y); });
    case PointwiseOp::ge:
      return compare(a, b, to, [](F x, F y) HWY_ATTR { return hn::Ge(x, y); });
    case PointwiseOp::eq:
      return compare(a, b, to, [](F x, F y) HWY_ATTR { return hn::Eq(x, y); });
    case PointwiseOp::ne:
      return compare(a, b, to, [](F x, F y) HWY_ATTR { return unequal(x, y); });
    case PointwiseOp::where:
      return each(to, [=](int64_t i) HWY_ATTR {
        return hn::IfThenElse(unequal(load(a + i), set(0)), load(b + i), load(c + i));
      });
  }
}

// Reads the elements [begin, begin + count) of the inputs; the rest of the block is zero.
void read(const PointwiseProgram& program, const void* const* inputs, int64_t begin, int64_t count,
          Values& values) {
  for (int i = 0; i < program.input_count; ++i) {
    float* const block = values.blocks[i];
    values.at[i] = block;
    if (program.inputs[i] == PointwiseKind::scalar) continue;
    if (program.inputs[i] == PointwiseKind::booleans) {
      const auto* const from = static_cast<const uint8_t*>(inputs[i]) + begin;
      for (int64_t j = 0; j < kBlock; ++j) block[j] = j < count && from[j] ? 1 : 0;
      continue;
    }
    const float* const from = static_cast<const float*>(inputs[i]) + begin;
    if (count == kBlock) {
      values.at[i] = from;
    } else {
      for (int64_t j = 0; j < kBlock; ++j) block[j] = j < count ? from[j] : 0;
    }
  }
}

void write(const PointwiseProgram& program, void* const* outputs, int64_t begin, int64_t count,
           const Values& values) {
  for (int i = 0; i < program.output_count; ++i) {
    const float* const from = values.at[program.outputs[i].value];
    if (program.outputs[i].kind == PointwiseKind::booleans) {
      auto* const to = static_cast<uint8_t*>(outputs[i]) + begin;
      for (int64_t j = 0; j < count; ++j) to[j] = from[j] != 0;
    } else {
      float* const to = static_cast<float*>(outputs[i]) + begin;
      sweep(count,
            [=](auto load, auto store, int64_t at) HWY_ATTR { store(load(from + at), to + at); });
    }
  }
}

void run_pointwise(const PointwiseProgram& program, const void* const* inputs, void* const* outputs,
                   int64_t begin, int64_t end) {
  Values values;
  for (const float*& value : values.at) value = values.blocks[0];
  for (int i = 0; i < program.input_count; ++i) {
    if (program.inputs[i] != PointwiseKind::scalar) continue;
    const F scalar = set(*static_cast<const float*>(inputs[i]));
    each(values.blocks[i], [=](int64_t) HWY_ATTR { return scalar; });
  }
  for (; begin < end; begin += kBlock) {
    const int64_t count = end - begin < kBlock ? end - begin : kBlock;
    read(program, inputs, begin, count, values);
    for (int i = 0; i < program.step_count; ++i) {
      const int value = program.input_count + i;
      step_over(program.steps[i], values, values.blocks[value], program.square_root);
      values.at[value] = values.blocks[value];
    }
    write(program, outputs, begin, count, values);
  }
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {
namespace {

int operands_of(PointwiseOp op) {
  switch (op) {
    case PointwiseOp::neg:
    case PointwiseOp::abs:
    case PointwiseOp::sqrt:
    case PointwiseOp::relu:
      return 1;
    case PointwiseOp::add_scaled:
    case PointwiseOp::where:
      return 3;
    default:
      return 2;
  }
}

}  // namespace

bool well_formed(const PointwiseProgram& program) noexcept {
  if (program.input_count < 0 || program.input_count > program.kMaxInputs ||
      program.step_count < 0 || program.step_count > program.kMaxSteps ||
      program.output_count < 0 || program.output_count > program.kMaxOutputs) {
    return false;
  }
  for (int i = 0; i < program.step_count; ++i) {
    const PointwiseStep& step = program.steps[i];
    const int known = program.input_count + i;
    const uint8_t values[] = {step.a, step.b, step.c};
    for (int j = 0; j < operands_of(step.op); ++j) {
      if (values[j] >= known) return false;
    }
  }
  for (int i = 0; i < program.output_count; ++i) {
    const auto [value, kind] = program.outputs[i];
    if (value < program.input_count || value >= program.input_count + program.step_count ||
        kind == PointwiseKind::scalar) {
      return false;
    }
  }
  return true;
}

void run_pointwise(const PointwiseProgram& program, const void* const* inputs, void* const* outputs,
                   int64_t begin, int64_t end) noexcept {
  BROCH_KERNEL(run_pointwise)(program, inputs, outputs, begin, end);
}

}  // namespace broch::kernels
#endif
