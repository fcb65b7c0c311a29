// conv_test.cpp: convolutions and their gradients against sums in double.
#include "kernels/conv.hpp"

#include "kernels/conv_patches.hpp"
#include "support.hpp"

using namespace broch::kernels;

namespace {

using Doubles = std::vector<double>;

struct Operands {
  ConvShape shape;
  Floats x, weights, bias, dy;
};

struct Layouts {
  bool x_last, weights_last;
};

int64_t count_of(const Extent& extent) { return extent.height * extent.width; }

// Channels before (channels, size) or behind (size, channels) the pixels.
ConvStrides strides_of(int64_t channels, const Extent& size, bool last) {
  const int64_t pixels = count_of(size);
  if (last) return {channels * pixels, 1, size.width * channels, channels};
  return {channels * pixels, pixels, size.width, 1};
}

Operands operands(ConvShape shape, Layouts layouts) {
  shape.x = strides_of(shape.channels, shape.image, layouts.x_last);
  shape.weights = strides_of(shape.channels, shape.kernel, layouts.weights_last);
  const int64_t weights = shape.out_channels * shape.channels * count_of(shape.kernel);
  return {shape, random_floats(shape.images * shape.channels * count_of(shape.image), 1),
          random_floats(weights, 2), random_floats(shape.out_channels, 3),
          random_floats(shape.images * shape.out_channels * count_of(shape.out()), 4)};
}

int64_t at(const ConvStrides& strides, int64_t first, int64_t channel, int64_t row,
           int64_t column) {
  return first * strides.first + channel * strides.channel + row * strides.row +
         column * strides.column;
}

// body(x, weights, y): where the operands of each product lie, dx like dense x with channels last.
template <class Body>
void each_product(const ConvShape& shape, const Body& body) {
  const Extent out = shape.out(), size = shape.image;
  const ConvStrides y = strides_of(shape.out_channels, out, true);
  for (int64_t n = 0; n < shape.images; ++n)
    for (int64_t o = 0; o < shape.out_channels; ++o)
      for (int64_t i = 0; i < count_of(out); ++i)
        for (int64_t c = 0; c < shape.channels; ++c)
          for (int64_t t = 0; t < count_of(shape.kernel); ++t) {
            const int64_t row = t / shape.kernel.width, column = t % shape.kernel.width;
            const int64_t h = i / out.width * shape.stride.height + row - shape.padding.height;
            const int64_t w = i % out.width * shape.stride.width + column - shape.padding.width;
            if (h < 0 || h >= size.height || w < 0 || w >= size.width) continue;
            body(at(shape.x, n, c, h, w), at(shape.weights, o, c, row, column),
                 at(y, n, o, i / out.width, i % out.width),
                 at(strides_of(shape.channels, size, true), n, c, h, w));
          }
}

struct Plain {
  Doubles y, dx, d_weights, d_bias;
};

Plain plain(const Operands& with) {
  Plain out;
  out.y.resize(with.dy.size());
  out.dx.resize(with.x.size());
  out.d_weights.resize(with.weights.size());
  out.d_bias.resize(with.bias.size());
  each_product(with.shape, [&](int64_t x, int64_t w, int64_t y, int64_t dx) {
    out.y[y] += double{with.x[x]} * with.weights[w];
    out.dx[dx] += double{with.dy[y]} * with.weights[w];
    out.d_weights[w] += double{with.dy[y]} * with.x[x];
  });
  for (size_t i = 0; i < with.dy.size(); ++i) out.d_bias[i % with.bias.size()] += with.dy[i];
  return out;
}

// The images in two parts, as two threads would take them; scratch and packed weights start as NaN.
Floats run(const ConvPlan& plan, const Floats& from, const Floats& weights, Floats to,
           const ConvEpilogue& epilogue, int64_t images) {
  Floats packed(plan.packed_size(), kNaN), scratch(plan.scratch_size(), kNaN);
  plan.pack(weights.data(), packed.data());
  for (const ImageRange& range : {ImageRange{0, images / 2}, ImageRange{images / 2, images}}) {
    plan.run(from.data(), packed.data(), to.data(), epilogue, range, scratch.data());
  }
  return to;
}

void check_weights(const Operands& with, const Plain& expected) {
  const ConvWeightsPlan plan(with.shape);
  const int64_t size = plan.sums_size(), images = with.shape.images, half = images / 2;
  Floats sums(3 * size, kNaN), scratch(plan.scratch_size(), kNaN);
  Floats d_weights(with.weights.size()), d_bias(with.bias.size());
  plan.run(with.x.data(), with.dy.data(), {0, half}, sums.data(), scratch.data());
  plan.run(with.x.data(), with.dy.data(), {half, images}, sums.data() + size, scratch.data());
  plan.finish(sums.data(), 2, d_weights.data(), d_bias.data());
  CHECK(difference(d_weights, expected.d_weights) < 1e-4);
  CHECK(difference(d_bias, expected.d_bias) < 1e-5);
  CHECK(std::isnan(sums[2 * size]));
  plan.run(with.x.data(), with.dy.data(), {0, images}, sums.data(), scratch.data());
  plan.finish(sums.data(), 1, d_weights.data(), nullptr);
  CHECK(difference(d_weights, expected.d_weights) < 1e-4);
}

void check(const ConvShape& shape, Layouts layouts) {
  INFO(shape.channels, " to ", shape.out_channels, " channels, image ", shape.image.height, " x ",
       shape.image.width, ", kernel ", shape.kernel.height, " x ", shape.kernel.width, ", stride ",
       shape.stride.height, " ", shape.stride.width, ", x last ", layouts.x_last, ", weights last ",
       layouts.weights_last);
  const Operands with = operands(shape, layouts);
  const Plain expected = plain(with);
  const Floats y(with.dy.size(), kNaN), dx(with.x.size(), kNaN);
  CHECK(difference(run(ConvPlan::forward(with.shape), with.x, with.weights, y, {}, shape.images),
                   expected.y) < 1e-4);
  CHECK(difference(
            run(ConvPlan::backward_input(with.shape), with.dy, with.weights, dx, {}, shape.images),
            expected.dx) < 1e-4);
  check_weights(with, expected);
}

// Square kernels, strides and paddings.
ConvShape square(int64_t channels, int64_t out_channels, Extent image, int64_t kernel,
                 int64_t stride, int64_t padding) {
  return {3,  channels, out_channels, image, {kernel, kernel}, {stride, stride}, {padding, padding},
          {}, {}};
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

TEST_CASE("conv: sum, bias, rectifier and gate follow in this order") {
  with_each_isa([&] {
    for (const int64_t channels : {3, 100}) {
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
    plan.run(with.x.data(), packed.data(), whole.data(), {}, {0, 3}, scratch.data());
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
  const int64_t half = shape.images / 2;
  for (const ImageRange& range : {ImageRange{0, half}, ImageRange{half, shape.images}}) {
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
  patches.forward(with.x.data(), with.weights.data(), whole.data(), {}, {0, shape.images},
                  scratch.data());
  CHECK(same_bits(whole, y));
  Floats packed(patches.packed_size() + 1, kNaN), y_packed(y.size(), kNaN);
  patches.pack(with.weights.data(), packed.data());
  for (const ImageRange& range : {ImageRange{0, half}, ImageRange{half, shape.images}})
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
