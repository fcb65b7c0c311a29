// winograd_test.cpp: convolutions by tiles and their gradients against sums in double.
#include "kernels/winograd.hpp"

#include "conv_support.hpp"

using namespace broch::kernels;

namespace {

// Channels in and out, image, padding.
const ConvShape kShapes[] = {
    square(32, 48, {8, 8}, 3, 1, 1),   square(48, 32, {7, 9}, 3, 1, 1),
    square(16, 16, {5, 4}, 3, 1, 0),   square(64, 128, {4, 7}, 3, 1, 2),
    square(80, 16, {14, 14}, 3, 1, 1), square(16, 112, {3, 3}, 3, 1, 1),
    square(544, 16, {4, 4}, 3, 1, 1),  // more than one pass of the products
};

}  // namespace

TEST_CASE("winograd: results and gradients") {
  with_each_isa([&] {
    for (const ConvShape& shape : kShapes) {
      check_method<WinogradPlan, WinogradWeightsPlan>(shape, {true, true});
      check_method<WinogradPlan, WinogradWeightsPlan>(shape, {true, false});
    }
  });
}

TEST_CASE("winograd: sum, bias, rectifier and gate follow in this order") {
  with_each_isa([&] {
    const Operands with = operands(square(32, 48, {5, 6}, 3, 1, 1), {true, true});
    const Floats start = random_floats(static_cast<int64_t>(with.dy.size()), 8);
    Doubles expected = plain(with).y;
    for (size_t i = 0; i < expected.size(); ++i) {
      expected[i] = std::max(expected[i] + start[i] + with.bias[i % 48], 0.0);
      if (with.dy[i] <= 0) expected[i] = 0;
    }
    const ConvEpilogue all{true, with.bias.data(), true, with.dy.data()};
    const WinogradPlan plan = WinogradPlan::forward(with.shape);
    CHECK(difference(run(plan, with.x, with.weights, start, all, 3), expected) < 1e-4);
  });
}

TEST_CASE("winograd: an image has the same bits in every range") {
  with_each_isa([&] {
    ConvShape shape = square(32, 48, {9, 9}, 3, 1, 1);
    shape.images = 7;
    const Operands with = operands(shape, {true, false});
    const WinogradPlan plan = WinogradPlan::forward(with.shape);
    Floats whole(with.dy.size()), packed(plan.packed_size()), scratch(plan.scratch_size());
    plan.pack(with.weights.data(), packed.data());
    plan.run(with.x.data(), packed.data(), whole.data(), {}, {0, 7 * plan.pieces()},
             scratch.data());
    CHECK(same_bits(whole, run(plan, with.x, with.weights, Floats(whole.size()), {}, 7)));
  });
}

TEST_CASE("winograd: fits 3 x 3 kernels at stride 1 with enough channels and tiles") {
  const auto fits = [](const ConvShape& shape, bool x_last = true) {
    const ConvShape with = operands(shape, {x_last, false}).shape;
    return std::pair(WinogradPlan::fits_forward(with), WinogradPlan::fits_backward_input(with));
  };
  const std::pair all(true, true), none(false, false);
  CHECK(fits(square(64, 64, {14, 14}, 3, 1, 1)) == all);
  CHECK(fits(square(64, 64, {14, 14}, 3, 1, 1), false) == std::pair(false, true));
  CHECK(fits(square(64, 64, {14, 14}, 3, 2, 1)) == none);
  CHECK(fits(square(64, 64, {14, 14}, 5, 1, 1)) == none);
  CHECK(fits(square(64, 60, {14, 14}, 3, 1, 1)) == none);
  CHECK(fits(square(3, 64, {14, 14}, 3, 1, 1)) == none);
  CHECK(fits(square(64, 64, {4, 4}, 3, 1, 1)) == none);  // few tiles
  CHECK(fits(square(64, 64, {6, 6}, 3, 1, 1)) == std::pair(true, false));
  CHECK(fits(square(64, 64, {99, 1}, 3, 1, 1)) == none);  // half of each tile is outside
}
