// pointwise_test.cpp: chains of pointwise operators have the bits of one loop per operator.
#include "kernels/pointwise.hpp"

#include "support.hpp"

using namespace broch::kernels;

namespace {

using Op = PointwiseOp;
using Kind = PointwiseKind;

// x, y and scalar s; values 3.. are the results.
PointwiseProgram chain() {
  PointwiseProgram program;
  program.inputs = {Kind::floats, Kind::floats, Kind::scalar};
  program.input_count = 3;
  program.steps = {{{Op::mul, 0, 2},       // 3 = x * s
                    {Op::add, 3, 1},       // 4 = 3 + y
                    {Op::div, 4, 1},       // 5 = 4 / y
                    {Op::le, 0, 1},        // 6 = x <= y
                    {Op::where, 6, 5, 4},  // 7 = 6 ? 5 : 4
                    {Op::neg, 7},          // 8
                    {Op::sub, 8, 0},       // 9
                    {Op::relu, 9}}};       // 10
  program.step_count = 8;
  program.outputs = {10, 6, 7};
  program.output_count = 3;
  return program;
}

float one(const PointwiseStep& step, float x, float y, float z) {
  PointwiseProgram program;
  program.inputs = {Kind::floats, Kind::floats, Kind::floats};
  program.input_count = 3;
  program.steps = {step};
  program.step_count = 1;
  program.outputs = {3};
  program.output_count = 1;
  float result = 0;
  const void* const inputs[] = {&x, &y, &z};
  void* const outputs[] = {&result};
  run_pointwise(program, inputs, outputs, 0, 1);
  return result;
}

}  // namespace

TEST_CASE("pointwise: a chain with choices and scalars, at every length and in parts") {
  with_each_isa([] {
    const PointwiseProgram program = chain();
    const float s = 0.37f;
    for (int64_t size = 0; size < 1100; size += 67) {
      const Floats x = random_floats(size, 1), y = random_floats(size, 2);
      Floats last(size), below(size), chosen(size);
      Floats expected_last, expected_below, expected_chosen;
      for (int64_t i = 0; i < size; ++i) {
        const float product = x[i] * s, sum = product + y[i];
        expected_below.push_back(x[i] <= y[i] ? 1.0f : 0.0f);
        expected_chosen.push_back(x[i] <= y[i] ? sum / y[i] : sum);
        const float difference = -expected_chosen.back() - x[i];
        expected_last.push_back(difference < 0 ? 0 : difference);
      }
      const void* const inputs[] = {x.data(), y.data(), &s};
      void* const outputs[] = {last.data(), below.data(), chosen.data()};
      run_pointwise(program, inputs, outputs, 0, size / 2);
      run_pointwise(program, inputs, outputs, size / 2, size);
      CHECK(same_bits(last, expected_last));
      CHECK(same_bits(below, expected_below));
      CHECK(same_bits(chosen, expected_chosen));
    }
  });
}

TEST_CASE("pointwise: bytes are numbers from 0 to 255, at every length and in parts") {
  PointwiseProgram program;
  program.inputs = {Kind::bytes, Kind::scalar};
  program.input_count = 2;
  program.steps = {{{Op::mul, 0, 1}}};
  program.outputs = {2};
  program.step_count = program.output_count = 1;
  with_each_isa([&] {
    const float s = 0.37f;
    for (int64_t size = 0; size < 1100; size += 67) {
      std::vector<uint8_t> x(size);
      Floats y(size), expected(size);
      for (int64_t i = 0; i < size; ++i) {
        x[i] = static_cast<uint8_t>(255 - i);
        expected[i] = static_cast<float>(x[i]) * s;
      }
      const void* const inputs[] = {x.data(), &s};
      void* const outputs[] = {y.data()};
      run_pointwise(program, inputs, outputs, 0, size / 2);
      run_pointwise(program, inputs, outputs, size / 2, size);
      CHECK(same_bits(y, expected));
    }
  });
}

TEST_CASE("pointwise: an output may be the memory of an input") {
  with_each_isa([] {
    PointwiseProgram program = chain();
    program.outputs = {3};
    program.output_count = 1;
    Floats x = random_floats(100), expected = x;
    for (float& value : expected) value *= 2;
    const Floats y(100, 1.0f);
    const float s = 2;
    const void* const inputs[] = {x.data(), y.data(), &s};
    void* const outputs[] = {x.data()};
    run_pointwise(program, inputs, outputs, 0, 100);
    CHECK(same_bits(x, expected));
  });
}

TEST_CASE("pointwise: comparisons, NaN and signed zero") {
  with_each_isa([] {
    CHECK(one({Op::le, 0, 1}, 2, 2, 0) == 1);
    CHECK(one({Op::le, 0, 1}, 3, 2, 0) == 0);
    CHECK(one({Op::le, 0, 1}, 0.0f, -0.0f, 0) == 1);
    CHECK(one({Op::le, 0, 1}, kNaN, kNaN, 0) == 0);
    CHECK(std::isnan(one({Op::relu, 0}, kNaN, 0, 0)));
    CHECK(std::signbit(one({Op::neg, 0}, 0.0f, 0, 0)));
    CHECK(one({Op::where, 0, 1, 2}, kNaN, 3, 4) == 3);
    CHECK(one({Op::div, 0, 1}, 1, 0, 0) == kInfinity);
  });
}
