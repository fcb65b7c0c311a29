// pointwise_test.cpp: chains of pointwise operators have the bits of one loop per operator.
#include "kernels/pointwise.hpp"

#include "support.hpp"

using namespace broch::kernels;

namespace {

using Op = PointwiseOp;
using Kind = PointwiseKind;

// x, y, mask and scalar s; values 4.. are the results.
PointwiseProgram chain() {
  PointwiseProgram program;
  program.inputs = {Kind::floats, Kind::floats, Kind::booleans, Kind::scalar};
  program.input_count = 4;
  program.steps = {{{Op::mul, 0, 3},       // 4 = x * s
                    {Op::add, 4, 1},       // 5 = 4 + y
                    {Op::div, 5, 1},       // 6 = 5 / y
                    {Op::abs, 6},          // 7
                    {Op::sqrt, 7},         // 8
                    {Op::gt, 0, 1},        // 9 = x > y
                    {Op::where, 2, 8, 5},  // 10 = mask ? 8 : 5
                    {Op::neg, 10},         // 11
                    {Op::sub, 11, 0},      // 12
                    {Op::relu, 12}}};      // 13
  program.step_count = 10;
  program.outputs = {{{13, Kind::floats}, {9, Kind::booleans}, {10, Kind::floats}}};
  program.output_count = 3;
  return program;
}

float one(const PointwiseStep& step, float x, float y, float z) {
  PointwiseProgram program;
  program.inputs = {Kind::floats, Kind::floats, Kind::floats};
  program.input_count = 3;
  program.steps = {step};
  program.step_count = 1;
  program.outputs = {{{3, Kind::floats}}};
  program.output_count = 1;
  float result = 0;
  const void* const inputs[] = {&x, &y, &z};
  void* const outputs[] = {&result};
  REQUIRE(well_formed(program));
  run_pointwise(program, inputs, outputs, 0, 1);
  return result;
}

}  // namespace

TEST_CASE("pointwise: a chain with masks and scalars, at every length and in parts") {
  with_each_isa([] {
    const PointwiseProgram program = chain();
    REQUIRE(well_formed(program));
    const float s = 0.37f;
    for (int64_t size = 0; size < 1100; size += 67) {
      const Floats x = random_floats(size, 1), y = random_floats(size, 2);
      std::vector<uint8_t> mask(size), greater(size), expected_greater;
      Floats last(size), chosen(size), expected_last, expected_chosen;
      for (int64_t i = 0; i < size; ++i) {
        mask[i] = i % 3 == 0 ? 2 : 0;
        const float product = x[i] * s, sum = product + y[i];
        expected_chosen.push_back(mask[i] ? std::sqrt(std::abs(sum / y[i])) : sum);
        const float difference = -expected_chosen.back() - x[i];
        expected_last.push_back(difference < 0 ? 0 : difference);
        expected_greater.push_back(x[i] > y[i]);
      }
      const void* const inputs[] = {x.data(), y.data(), mask.data(), &s};
      void* const outputs[] = {last.data(), greater.data(), chosen.data()};
      run_pointwise(program, inputs, outputs, 0, size / 2);
      run_pointwise(program, inputs, outputs, size / 2, size);
      CHECK(same_bits(last, expected_last));
      CHECK(same_bits(chosen, expected_chosen));
      CHECK(greater == expected_greater);
    }
  });
}

TEST_CASE("pointwise: bytes are numbers from 0 to 255, at every length and in parts") {
  PointwiseProgram program;
  program.inputs = {Kind::bytes, Kind::scalar};
  program.input_count = 2;
  program.steps = {{{Op::mul, 0, 1}}};
  program.outputs = {{{2, Kind::floats}}};
  program.step_count = program.output_count = 1;
  REQUIRE(well_formed(program));
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
    program.outputs = {{{4, Kind::floats}}};
    program.output_count = 1;
    Floats x = random_floats(100), expected = x;
    for (float& value : expected) value *= 2;
    const std::vector<uint8_t> mask(100);
    const Floats y(100, 1.0f);
    const float s = 2;
    const void* const inputs[] = {x.data(), y.data(), mask.data(), &s};
    void* const outputs[] = {x.data()};
    run_pointwise(program, inputs, outputs, 0, 100);
    CHECK(same_bits(x, expected));
  });
}

TEST_CASE("pointwise: comparisons, NaN and signed zero") {
  with_each_isa([] {
    CHECK(one({Op::lt, 0, 1}, 1, 2, 0) == 1);
    CHECK(one({Op::lt, 0, 1}, kNaN, 2, 0) == 0);
    CHECK(one({Op::le, 0, 1}, 2, 2, 0) == 1);
    CHECK(one({Op::ge, 0, 1}, 1, 2, 0) == 0);
    CHECK(one({Op::eq, 0, 1}, kNaN, kNaN, 0) == 0);
    CHECK(one({Op::eq, 0, 1}, 0.0f, -0.0f, 0) == 1);
    CHECK(one({Op::ne, 0, 1}, kNaN, kNaN, 0) == 1);
    CHECK(std::isnan(one({Op::relu, 0}, kNaN, 0, 0)));
    CHECK(std::signbit(one({Op::neg, 0}, 0.0f, 0, 0)));
    CHECK(one({Op::where, 0, 1, 2}, kNaN, 3, 4) == 3);
    CHECK(one({Op::add_scaled, 0, 1, 2}, 1, 2, 3) == 7);
    CHECK(one({Op::div, 0, 1}, 1, 0, 0) == kInfinity);
  });
}

TEST_CASE("pointwise: a program that uses what is not there yet is not well formed") {
  PointwiseProgram program = chain();
  program.steps[2].a = 6;
  CHECK_FALSE(well_formed(program));
  program = chain();
  program.outputs[0].value = 14;
  CHECK_FALSE(well_formed(program));
  program = chain();
  program.outputs[0].value = 0;
  CHECK_FALSE(well_formed(program));
  program = chain();
  program.outputs[0].kind = Kind::bytes;
  CHECK_FALSE(well_formed(program));
  program = chain();
  program.input_count = 9;
  CHECK_FALSE(well_formed(program));
}
