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

const WinogradEdge kEdges[] = {WinogradEdge::two, WinogradEdge::four};

// The plans with tiles of one size.
template <WinogradEdge edge>
struct Plan {
  static WinogradPlan forward(const ConvShape& shape) { return WinogradPlan::forward(shape, edge); }
  static WinogradPlan backward_input(const ConvShape& shape) {
    return WinogradPlan::backward_input(shape, edge);
  }
};
template <WinogradEdge edge>
struct WeightsPlan : WinogradWeightsPlan {
  explicit WeightsPlan(const ConvShape& shape) : WinogradWeightsPlan(shape, edge) {}
};

template <WinogradEdge edge>
void check_edge(const ConvShape& shape, Layouts layouts) {
  INFO("edge ", static_cast<int64_t>(edge));
  check_method<Plan<edge>, WeightsPlan<edge>>(shape, layouts, 5e-4);
}

}  // namespace

TEST_CASE("winograd: results and gradients") {
  with_each_isa([&] {
    for (const ConvShape& shape : kShapes) {
      for (const bool last : {true, false}) {
        check_edge<WinogradEdge::two>(shape, {true, last});
        check_edge<WinogradEdge::four>(shape, {true, last});
      }
    }
  });
}

// The root of the mean square of errors, relative to that of the results.
static double rounding(const WinogradPlan& plan, const Operands& with) {
  const Doubles expected = plain(with).y;
  const Floats y = run(plan, with.x, with.weights, Floats(with.dy.size()), {}, with.shape.images);
  double errors = 0, squares = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    errors += (y[i] - expected[i]) * (y[i] - expected[i]);
    squares += expected[i] * expected[i];
  }
  return std::sqrt(errors / squares);
}

// With the points 0, 1, -1, 2 and -2, tiles of 4 x 4 have errors of 1.5e-6.
TEST_CASE("winograd: rounding errors of larger tiles stay small") {
  const Operands with = operands(square(64, 64, {12, 12}, 3, 1, 1), {true, true});
  CHECK(rounding(WinogradPlan::forward(with.shape, WinogradEdge::two), with) < 3e-7);
  CHECK(rounding(WinogradPlan::forward(with.shape, WinogradEdge::four), with) < 1.1e-6);
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
    for (const WinogradEdge edge : kEdges) {
      const WinogradPlan plan = WinogradPlan::forward(with.shape, edge);
      CHECK(difference(run(plan, with.x, with.weights, start, all, 3), expected) < 1e-4);
    }
  });
}

TEST_CASE("winograd: an image has the same bits in every range") {
  with_each_isa([&] {
    ConvShape shape = square(32, 48, {9, 9}, 3, 1, 1);
    shape.images = 7;
    const Operands with = operands(shape, {true, false});
    for (const WinogradEdge edge : kEdges) {
      const WinogradPlan plan = WinogradPlan::forward(with.shape, edge);
      Floats whole(with.dy.size()), packed(plan.packed_size()), scratch(plan.scratch_size());
      plan.pack(with.weights.data(), packed.data());
      plan.run(with.x.data(), packed.data(), whole.data(), {}, {0, 7 * plan.pieces()},
               scratch.data());
      CHECK(same_bits(whole, run(plan, with.x, with.weights, Floats(whole.size()), {}, 7)));
    }
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
