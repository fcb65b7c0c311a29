// conv_test.cpp: convolutions and their gradients against sums in double.
#include "kernels/conv.hpp"

#include "conv_support.hpp"
#include "kernels/conv_patches.hpp"

using namespace broch::kernels;

namespace {

void check(const ConvShape& shape, Layouts layouts) {
  check_method<ConvPlan, ConvWeightsPlan>(shape, layouts);
}

Floats weight_gradients(const ConvShape& shape, const void* x, const Floats& dy) {
  const ConvWeightsPlan plan(shape);
  Floats sums(plan.sums_size(), kNaN), scratch(plan.scratch_size(), kNaN);
  Floats gradients(shape.out_channels * shape.channels * count_of(shape.kernel));
  plan.run(x, dy.data(), {0, shape.images}, sums.data(), scratch.data());
  plan.finish(sums.data(), 1, gradients.data(), nullptr);
  return gradients;
}

}  // namespace

TEST_CASE("conv: results and gradients of usual kernels, strides and paddings") {
  const ConvShape shapes[] = {square(1, 32, {8, 8}, 3, 1, 1),   square(1, 16, {9, 11}, 3, 1, 0),
                              square(3, 16, {7, 37}, 3, 1, 1),  square(3, 48, {10, 9}, 3, 2, 1),
                              square(16, 16, {6, 32}, 3, 1, 1), square(16, 32, {8, 9}, 3, 2, 1),
                              square(16, 32, {8, 7}, 1, 2, 0),  square(32, 16, {5, 6}, 1, 1, 0),
                              square(16, 64, {6, 6}, 3, 1, 0),  square(64, 48, {4, 4}, 3, 1, 1)};
  with_each_isa([&] {
    for (const ConvShape& shape : shapes) {
      check(shape, {true, true});
      check(shape, {false, false});
    }
  });
}

TEST_CASE("conv: odd channels, kernels wider than the image, uneven strides and paddings") {
  ConvShape uneven = square(5, 7, {9, 12}, 3, 1, 0);
  uneven.kernel = {2, 5};
  uneven.stride = {3, 2};
  uneven.padding = {0, 4};
  const ConvShape shapes[] = {uneven,
                              square(2, 3, {5, 5}, 3, 1, 1),
                              square(20, 21, {5, 4}, 3, 1, 2),
                              square(17, 1, {6, 6}, 5, 3, 2),
                              square(1, 5, {6, 7}, 1, 3, 0),
                              square(4, 33, {1, 1}, 3, 1, 1),
                              square(3, 16, {2, 2}, 5, 1, 2),
                              square(18, 4, {4, 4}, 1, 1, 1)};
  with_each_isa([&] {
    for (const ConvShape& shape : shapes) {
      check(shape, {true, false});
      check(shape, {false, true});
    }
  });
}

TEST_CASE("conv: blocks of few channels, in each order of memory") {
  const ConvShape shapes[] = {square(4, 16, {20, 84}, 8, 4, 0), square(4, 32, {9, 37}, 3, 1, 1),
                              square(8, 16, {9, 21}, 5, 2, 2),  square(12, 32, {6, 19}, 3, 1, 1),
                              square(6, 48, {7, 18}, 4, 3, 0),  square(2, 16, {9, 40}, 7, 2, 3),
                              square(3, 64, {15, 40}, 7, 2, 3), square(5, 16, {3, 1}, 2, 1, 1),
                              square(13, 16, {4, 17}, 3, 1, 1), square(4, 20, {5, 16}, 3, 2, 1)};
  with_each_isa([&] {
    for (const ConvShape& shape : shapes) {
      for (const bool last : {true, false}) check(shape, {last, !last});
    }
  });
}

TEST_CASE("conv: bytes are read with the bits of the floats that they stand for") {
  const ConvShape shapes[] = {square(4, 16, {20, 84}, 8, 4, 0), square(1, 16, {9, 21}, 5, 1, 2),
                              square(3, 32, {12, 37}, 7, 2, 3), square(2, 16, {6, 19}, 3, 1, 1),
                              square(5, 16, {7, 18}, 3, 2, 1),  square(16, 20, {5, 6}, 3, 1, 1)};
  with_each_isa([&] {
    for (const ConvShape& shape : shapes) {
      for (const bool last : {true, false}) {
        Operands with = operands(shape, {last, false});
        std::vector<uint8_t> bytes(with.x.size());
        ConvShape of_bytes = with.shape;
        of_bytes.is_bytes = true;
        of_bytes.scale = 1 / 255.0F;
        for (size_t i = 0; i < bytes.size(); ++i) {
          bytes[i] = static_cast<uint8_t>(i * 37);
          with.x[i] = static_cast<float>(bytes[i]) * of_bytes.scale;
        }
        const Floats start(with.dy.size());
        CHECK(same_bits(run(ConvPlan::forward(of_bytes), bytes, with.weights, start, {}, 3),
                        run(ConvPlan::forward(with.shape), with.x, with.weights, start, {}, 3)));
        CHECK(same_bits(weight_gradients(of_bytes, bytes.data(), with.dy),
                        weight_gradients(with.shape, with.x.data(), with.dy)));
      }
    }
  });
}

TEST_CASE("conv: sum, bias, rectifier and gate follow in this order") {
  with_each_isa([&] {
    for (const int64_t channels : {3, 7, 100}) {
      const Operands with = operands(square(channels, 37, {5, 6}, 3, 1, 1), {true, true});
      const Floats start = random_floats(static_cast<int64_t>(with.dy.size()), 8);
      Doubles expected = plain(with).y;
      for (size_t i = 0; i < expected.size(); ++i) {
        expected[i] = std::max(expected[i] + start[i] + with.bias[i % 37], 0.0);
        if (with.dy[i] <= 0) expected[i] = 0;
      }
      const ConvEpilogue all{true, with.bias.data(), true, with.dy.data()};
      const ConvPlan plan = ConvPlan::forward(with.shape);
      CHECK(difference(run(plan, with.x, with.weights, start, all, 3), expected) < 1e-4);
    }
  });
}

TEST_CASE("conv: an image has the same bits in every range") {
  with_each_isa([&] {
    const Operands with = operands(square(32, 48, {9, 9}, 3, 1, 1), {true, false});
    const ConvPlan plan = ConvPlan::forward(with.shape);
    Floats whole(with.dy.size()), packed(plan.packed_size()), scratch(plan.scratch_size());
    plan.pack(with.weights.data(), packed.data());
    plan.run(with.x.data(), packed.data(), whole.data(), {}, {0, 3 * plan.pieces()},
             scratch.data());
    CHECK(same_bits(whole, run(plan, with.x, with.weights, Floats(whole.size()), {}, 3)));
  });
}

TEST_CASE("conv: NaN reaches what reads it, and nothing else") {
  with_each_isa([&] {
    Operands with = operands(square(16, 16, {6, 6}, 3, 1, 0), {true, true});
    with.x[0] = kNaN;
    const ConvEpilogue rectified{false, nullptr, true, nullptr};
    const Floats y = run(ConvPlan::forward(with.shape), with.x, with.weights,
                         Floats(with.dy.size()), rectified, 3);
    for (size_t i = 0; i < y.size(); ++i) CHECK(std::isnan(y[i]) == (i < 16));
  });
}

namespace {

// Results and gradients as products, with the images in two parts; scratch starts as NaN.
void check_products(const ConvShape& shape, bool x_last) {
  INFO(shape.images, " images, ", shape.channels, " to ", shape.out_channels, " channels, image ",
       shape.image.height, " x ", shape.image.width, ", kernel ", shape.kernel.height, ", stride ",
       shape.stride.height, ", x last ", x_last);
  const Operands with = operands(shape, {x_last, false});
  REQUIRE(ConvPatches::fits(with.shape));
  const ConvPatches patches(with.shape);
  const Plain expected = plain(with);
  const Floats gate = random_floats(static_cast<int64_t>(with.dy.size() + with.x.size()), 9);
  Floats y(with.dy.size(), kNaN), dx(with.x.size(), kNaN);
  Floats scratch(patches.scratch_size() + 1, kNaN);
  Floats y_after = random_floats(static_cast<int64_t>(y.size()), 10), dx_after = dx;
  Doubles y_expected = expected.y, dx_expected = expected.dx;
  for (size_t i = 0; i < y.size(); ++i) {
    const double sum = y_expected[i] + y_after[i] + with.bias[i % with.bias.size()];
    y_expected[i] = gate[i] <= 0 ? 0 : std::max(sum, 0.0);
  }
  for (size_t i = 0; i < dx.size(); ++i) dx_expected[i] = gate[i] <= 0 ? 0 : dx_expected[i];
  const ConvEpilogue all{true, with.bias.data(), true, gate.data()};
  const ConvEpilogue gated{false, nullptr, false, gate.data()};
  const int64_t half = shape.images / 2, pieces = shape.images * patches.pieces();
  for (const PieceRange& range : {PieceRange{0, pieces / 2}, PieceRange{pieces / 2, pieces}}) {
    const float *const w = with.weights.data(), *const from = with.dy.data();
    patches.forward(with.x.data(), w, y.data(), {}, range, scratch.data());
    patches.forward(with.x.data(), w, y_after.data(), all, range, scratch.data());
    patches.backward_input(from, w, dx.data(), {}, range, scratch.data());
    patches.backward_input(from, w, dx_after.data(), gated, range, scratch.data());
  }
  CHECK(difference(y, expected.y) < 1e-4);
  CHECK(difference(y_after, y_expected) < 1e-4);
  CHECK(difference(dx, expected.dx) < 1e-4);
  CHECK(difference(dx_after, dx_expected) < 1e-4);
  Floats first(with.weights.size(), kNaN), second = first;
  patches.backward_weights(with.x.data(), with.dy.data(), {0, half}, first.data(), scratch.data());
  patches.backward_weights(with.x.data(), with.dy.data(), {half, shape.images}, second.data(),
                           scratch.data());
  for (size_t i = 0; i < first.size(); ++i) first[i] += second[i];
  CHECK(difference(first, expected.d_weights) < 1e-4);
  Floats whole(y.size(), kNaN);
  patches.forward(with.x.data(), with.weights.data(), whole.data(), {}, {0, pieces},
                  scratch.data());
  CHECK(same_bits(whole, y));
  Floats packed(patches.packed_size() + 1, kNaN), y_packed(y.size(), kNaN);
  patches.pack(with.weights.data(), packed.data());
  for (const PieceRange& range : {PieceRange{0, pieces / 2}, PieceRange{pieces / 2, pieces}})
    patches.forward_packed(with.x.data(), packed.data(), y_packed.data(), {}, range,
                           scratch.data());
  CHECK(difference(y_packed, expected.y) < 1e-4);
  CHECK(std::isnan(packed.back()));
  CHECK(std::isnan(scratch.back()));
}

}  // namespace

TEST_CASE("conv: products over the patches of small images") {
  ConvShape many = square(16, 17, {2, 2}, 3, 1, 1), uneven = square(18, 16, {3, 4}, 3, 2, 1);
  many.images = 301;  // more columns than are made together
  uneven.images = 9;
  ConvShape wide = square(33, 20, {4, 4}, 5, 2, 2), few = square(16, 300, {2, 2}, 2, 1, 0);
  wide.images = 5;
  few.images = 200;  // more columns than the patches have rows
  with_each_isa([&] {
    for (const ConvShape& shape : {many, uneven, wide, few}) {
      check_products(shape, true);
      check_products(shape, false);
    }
  });
}

TEST_CASE("conv: products where the kernel is one pixel") {
  with_each_isa([&] {
    check_products(square(5, 37, {7, 3}, 1, 1, 0), true);
    check_products(square(600, 3, {2, 2}, 1, 1, 0), true);
    check_products(square(20, 30, {1, 1}, 1, 1, 0), false);
  });
}

TEST_CASE("conv: what products are not for") {
  const auto fits = [](const ConvShape& shape, Layouts layouts) {
    return ConvPatches::fits(operands(shape, layouts).shape);
  };
  CHECK_FALSE(fits(square(16, 16, {8, 8}, 3, 1, 1), {true, false}));
  CHECK_FALSE(fits(square(64, 64, {2, 2}, 3, 1, 1), {true, true}));    // weights in another order
  CHECK_FALSE(fits(square(64, 64, {7, 7}, 1, 1, 0), {false, false}));  // images in planes
  CHECK_FALSE(fits(square(64, 64, {2, 2}, 5, 1, 2), {true, false}));   // mostly padding
}
