// conv_few_test.cpp: convolutions whose results have few channels, against sums in double.
#include "kernels/conv_few.hpp"

#include "conv_support.hpp"

using namespace broch::kernels;

namespace {

void check_forward(const ConvShape& shape, Layouts layouts) {
  const Operands with = operands(shape, layouts);
  INFO(shape.channels, " to ", shape.out_channels, " channels, image ", shape.image.height, " x ",
       shape.image.width, ", kernel ", shape.kernel.height, " x ", shape.kernel.width);
  REQUIRE(ConvFewPlan::fits_forward(with.shape));
  const Floats y(with.dy.size(), kNaN);
  CHECK(difference(run(ConvFewPlan::forward(with.shape), with.x, with.weights, y, {}, 3),
                   plain(with).y) < 1e-4);
}

void check_backward(const ConvShape& shape, Layouts layouts) {
  const Operands with = operands(shape, layouts);
  INFO(shape.channels, " from ", shape.out_channels, " channels, image ", shape.image.height, " x ",
       shape.image.width, ", kernel ", shape.kernel.height, " x ", shape.kernel.width, ", stride ",
       shape.stride.height);
  REQUIRE(ConvFewPlan::fits_backward_input(with.shape));
  const Floats dx(with.x.size(), kNaN);
  CHECK(difference(run(ConvFewPlan::backward_input(with.shape), with.dy, with.weights, dx, {}, 3),
                   plain(with).dx) < 1e-4);
}

ConvShape uneven() {
  ConvShape shape = square(3, 13, {9, 13}, 3, 1, 0);
  shape.kernel = {2, 5};
  shape.stride = {3, 2};
  shape.padding = {0, 4};
  return shape;
}

}  // namespace

TEST_CASE("few channels: results at stride 1") {
  const ConvShape shapes[] = {square(64, 3, {9, 20}, 3, 1, 1), square(16, 1, {28, 28}, 5, 1, 2),
                              square(18, 4, {40, 30}, 7, 1, 3), square(20, 2, {6, 5}, 4, 1, 0),
                              square(24, 6, {5, 5}, 5, 1, 0)};
  with_each_isa([&] {
    for (const ConvShape& shape : shapes)
      for (const bool last : {true, false}) check_forward(shape, {last, !last});
  });
}

TEST_CASE(
    "few channels: gradients of inputs, with strides, paddings and pixels that no tap reads") {
  const ConvShape shapes[] = {square(1, 32, {28, 28}, 4, 2, 1), square(3, 64, {21, 30}, 7, 2, 3),
                              square(4, 16, {20, 36}, 8, 4, 0), square(2, 8, {11, 11}, 3, 4, 1),
                              square(3, 24, {4, 4}, 2, 3, 0),   square(1, 16, {40, 60}, 3, 1, 1),
                              square(1, 16, {2, 2}, 5, 1, 2),   uneven()};
  with_each_isa([&] {
    for (const ConvShape& shape : shapes)
      for (const bool last : {true, false}) check_backward(shape, {last, !last});
  });
}

TEST_CASE("few channels: sum, bias, rectifier and gate follow in this order, in every range") {
  with_each_isa([] {
    const Operands with = operands(square(32, 3, {30, 37}, 3, 1, 1), {true, false});
    const ConvFewPlan plan = ConvFewPlan::forward(with.shape);
    const Floats start = random_floats(static_cast<int64_t>(with.dy.size()), 8);
    Doubles expected = plain(with).y;
    for (size_t i = 0; i < expected.size(); ++i) {
      expected[i] = std::max(expected[i] + start[i] + with.bias[i % 3], 0.0);
      if (with.dy[i] <= 0) expected[i] = 0;
    }
    const ConvEpilogue all{true, with.bias.data(), true, with.dy.data()};
    const Floats halves = run(plan, with.x, with.weights, start, all, 3);
    CHECK(difference(halves, expected) < 1e-4);
    Floats packed(plan.packed_size()), scratch(plan.scratch_size());
    plan.pack(with.weights.data(), packed.data());
    for (const int64_t step : {1, 7, 90}) {
      Floats parts = start;
      for (int64_t at = 0; at < 90; at += step)
        plan.run(with.x.data(), packed.data(), parts.data(), all,
                 {at, std::min<int64_t>(at + step, 90)}, scratch.data());
      CHECK(same_bits(parts, halves));
    }
  });
}

TEST_CASE("few channels: NaN reaches what reads it, and nothing else") {
  with_each_isa([] {
    Operands with = operands(square(16, 2, {6, 6}, 3, 1, 0), {true, true});
    with.x[0] = kNaN;
    const ConvEpilogue rectified{false, nullptr, true, nullptr};
    const Floats y = run(ConvFewPlan::forward(with.shape), with.x, with.weights,
                         Floats(with.dy.size()), rectified, 3);
    for (size_t i = 0; i < y.size(); ++i) CHECK(std::isnan(y[i]) == (i < 2));
  });
}
