// pointwise.cpp: interprets a list of pointwise operators, block by block.
#include "kernels/pointwise.hpp"

#include <algorithm>

#include "targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pointwise.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "vectors-inl.hpp"

#ifndef BROCH_KERNELS_POINTWISE_PARTS
#define BROCH_KERNELS_POINTWISE_PARTS
namespace broch::kernels {
constexpr int64_t kBlock = 256;
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
  int64_t size;  // of the block, in whole vectors
};

// Writes `size` results, in whole vectors.
void step_over(const PointwiseStep& step, const Values& values, float* to) {
  const float *const a = values.at[step.a], *const b = values.at[step.b];
  const float* const c = values.at[step.c];
  const auto each = [=, size = values.size](const auto& operation) HWY_ATTR {
    for (int64_t i = 0; i < size; i += lanes()) store(operation(i), to + i);
  };
  switch (step.op) {
    case PointwiseOp::add:
      return each([=](int64_t i) HWY_ATTR { return hn::Add(load(a + i), load(b + i)); });
    case PointwiseOp::sub:
      return each([=](int64_t i) HWY_ATTR { return hn::Sub(load(a + i), load(b + i)); });
    case PointwiseOp::mul:
      return each([=](int64_t i) HWY_ATTR { return hn::Mul(load(a + i), load(b + i)); });
    case PointwiseOp::div:
      return each([=](int64_t i) HWY_ATTR { return hn::Div(load(a + i), load(b + i)); });
    case PointwiseOp::neg:
      return each([=](int64_t i) HWY_ATTR { return hn::Neg(load(a + i)); });
    case PointwiseOp::relu:
      return each([=](int64_t i) HWY_ATTR {
        const F x = load(a + i);
        return hn::IfThenZeroElse(hn::Lt(x, set(0)), x);
      });
    case PointwiseOp::le:
      return each([=](int64_t i) HWY_ATTR {
        return hn::IfThenElseZero(hn::Le(load(a + i), load(b + i)), set(1));
      });
    case PointwiseOp::where:
      return each([=](int64_t i) HWY_ATTR {
        return hn::IfThenElse(unequal(load(a + i), set(0)), load(b + i), load(c + i));
      });
  }
}

void read_bytes(const uint8_t* from, int64_t count, int64_t size, float* to) {
  const hn::Rebind<uint8_t, Floats> bytes;
  const hn::RebindToSigned<Floats> integers;
  int64_t i = 0;
  for (; i + lanes() <= count; i += lanes()) {
    store(hn::ConvertTo(kFloats, hn::PromoteTo(integers, hn::LoadU(bytes, from + i))), to + i);
  }
  for (; i < size; ++i) to[i] = i < count ? from[i] : 0;
}

// Floats stay where they are, unless their last vector is not whole.
const float* read_floats(const float* from, int64_t count, int64_t size, float* block) {
  if (count == size) return from;
  for (int64_t i = 0; i < size; ++i) block[i] = i < count ? from[i] : 0;
  return block;
}

// Reads the elements [begin, begin + count) of the inputs; the rest of the last vector is zero.
void read(const PointwiseProgram& program, const void* const* inputs, int64_t begin, int64_t count,
          Values& values) {
  const int64_t size = (count + lanes() - 1) / lanes() * lanes();
  values.size = size;
  for (int i = 0; i < program.input_count; ++i) {
    float* const block = values.blocks[i];
    switch (program.inputs[i]) {
      case PointwiseKind::floats:
        values.at[i] =
            read_floats(static_cast<const float*>(inputs[i]) + begin, count, size, block);
        break;
      case PointwiseKind::bytes:
        read_bytes(static_cast<const uint8_t*>(inputs[i]) + begin, count, size, block);
        break;
      case PointwiseKind::scalar:
        break;
    }
  }
}

// Where the last step can write its results, if they are an output: all others have been read.
float* last_output(const PointwiseProgram& program, void* const* outputs) {
  const int last = program.input_count + program.step_count - 1;
  for (int i = 0; i < program.output_count; ++i) {
    if (program.outputs[i] == last) return static_cast<float*>(outputs[i]);
  }
  return nullptr;
}

void write(const PointwiseProgram& program, void* const* outputs, int64_t begin, int64_t count,
           const Values& values) {
  for (int i = 0; i < program.output_count; ++i) {
    const float* const from = values.at[program.outputs[i]];
    float* const to = static_cast<float*>(outputs[i]) + begin;
    if (from == to) continue;  // is there already
    sweep(count,
          [=](auto load, auto store, int64_t at) HWY_ATTR { store(load(from + at), to + at); });
  }
}

void run_pointwise(const PointwiseProgram& program, const void* const* inputs, void* const* outputs,
                   int64_t begin, int64_t end) {
  Values values;
  for (int i = 0; i < kMaxValues; ++i) values.at[i] = values.blocks[i];
  float* const result = last_output(program, outputs);
  const int last = program.input_count + program.step_count - 1;
  const int64_t most = std::min(kBlock, (end - begin + lanes() - 1) / lanes() * lanes());
  for (int i = 0; i < program.input_count; ++i) {
    if (program.inputs[i] != PointwiseKind::scalar) continue;
    const F scalar = set(*static_cast<const float*>(inputs[i]));
    for (int64_t j = 0; j < most; j += lanes()) store(scalar, values.blocks[i] + j);
  }
  for (; begin < end; begin += kBlock) {
    const int64_t count = end - begin < kBlock ? end - begin : kBlock;
    read(program, inputs, begin, count, values);
    const bool direct = result && count == values.size;
    for (int i = 0; i < program.step_count; ++i) {
      const int value = program.input_count + i;
      float* const to = direct && value == last ? result + begin : values.blocks[value];
      step_over(program.steps[i], values, to);
      values.at[value] = to;
    }
    write(program, outputs, begin, count, values);
  }
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {

void run_pointwise(const PointwiseProgram& program, const void* const* inputs, void* const* outputs,
                   int64_t begin, int64_t end) noexcept {
  BROCH_KERNEL(run_pointwise)(program, inputs, outputs, begin, end);
}

}  // namespace broch::kernels
#endif
