// depthwise_test.cpp: convolutions of single channels against sums in double.
#include "kernels/depthwise.hpp"

#include "support.hpp"

using namespace broch::kernels;

namespace {

using Doubles = std::vector<double>;

struct Operands {
  DepthwiseShape shape;
  Floats x, weights, bias, dy;
};

int64_t count_of(const Extent& extent) { return extent.height * extent.width; }

Operands operands(const DepthwiseShape& shape) {
  return {shape, random_floats(shape.images * shape.channels * count_of(shape.image), 1),
          random_floats(shape.channels * count_of(shape.kernel), 2),
          random_floats(shape.channels, 3),
          random_floats(shape.images * shape.channels * count_of(shape.out()), 4)};
}

struct Plain {
  Doubles y, dx, d_weights;
};

Plain plain(const Operands& with) {
  const DepthwiseShape& shape = with.shape;
  const Extent out = shape.out(), size = shape.image, kernel = shape.kernel;
  Plain sums{Doubles(with.dy.size()), Doubles(with.x.size()), Doubles(with.weights.size())};
  for (int64_t n = 0; n < shape.images; ++n)
    for (int64_t i = 0; i < count_of(out); ++i)
      for (int64_t t = 0; t < count_of(kernel); ++t) {
        const int64_t row = i / out.width * shape.stride.height +
                            t / kernel.width * shape.dilation.height - shape.padding.height;
        const int64_t column = i % out.width * shape.stride.width +
                               t % kernel.width * shape.dilation.width - shape.padding.width;
        if (row < 0 || row >= size.height || column < 0 || column >= size.width) continue;
        for (int64_t c = 0; c < shape.channels; ++c) {
          const int64_t y = (n * count_of(out) + i) * shape.channels + c;
          const int64_t x = (n * count_of(size) + row * size.width + column) * shape.channels + c;
          const int64_t w = c * count_of(kernel) + t;
          sums.y[y] += double{with.x[x]} * with.weights[w];
          sums.dx[x] += double{with.dy[y]} * with.weights[w];
          sums.d_weights[w] += double{with.dy[y]} * with.x[x];
        }
      }
  return sums;
}

void check(const DepthwiseShape& shape) {
  INFO(shape.channels, " channels, image ", shape.image.height, " x ", shape.image.width,
       ", kernel ", shape.kernel.height, " x ", shape.kernel.width, ", stride ",
       shape.stride.height);
  const Operands with = operands(shape);
  const DepthwisePlan plan(shape);
  const Plain expected = plain(with);
  Floats packed(plan.packed_size(), kNaN), d_weights(with.weights.size(), kNaN);
  Floats y(with.dy.size(), kNaN), dx(with.x.size(), kNaN);
  const Floats gate = random_floats(static_cast<int64_t>(y.size()), 5);
  Floats y_after = random_floats(static_cast<int64_t>(y.size()), 6);
  Doubles y_expected = expected.y;
  for (size_t i = 0; i < y.size(); ++i) {
    const double sum = y_expected[i] + y_after[i] + with.bias[i % with.bias.size()];
    y_expected[i] = gate[i] <= 0 ? 0 : std::max(sum, 0.0);
  }
  const ConvEpilogue all{true, with.bias.data(), true, gate.data()};
  plan.pack(with.weights.data(), packed.data());
  for (const ImageRange& range : {ImageRange{0, 1}, ImageRange{1, shape.images}}) {
    plan.forward(with.x.data(), packed.data(), y.data(), {}, range);
    plan.forward(with.x.data(), packed.data(), y_after.data(), all, range);
    plan.backward_input(with.dy.data(), packed.data(), dx.data(), {}, range);
  }
  const int64_t middle = std::min<int64_t>(shape.channels, 16);
  plan.backward_weights(with.x.data(), with.dy.data(), 0, middle, d_weights.data());
  if (middle < shape.channels)
    plan.backward_weights(with.x.data(), with.dy.data(), middle, shape.channels, d_weights.data());
  CHECK(difference(y, expected.y) < 1e-5);
  CHECK(difference(y_after, y_expected) < 1e-5);
  CHECK(difference(dx, expected.dx) < 1e-5);
  CHECK(difference(d_weights, expected.d_weights) < 1e-5);
}

}  // namespace

TEST_CASE("depthwise: results and gradients") {
  const DepthwiseShape shapes[] = {{3, 32, {8, 8}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
                                   {2, 72, {9, 7}, {3, 3}, {2, 2}, {1, 1}, {1, 1}},
                                   {4, 40, {2, 2}, {5, 5}, {1, 1}, {2, 2}, {1, 1}},
                                   {3, 5, {6, 9}, {1, 4}, {3, 2}, {0, 3}, {1, 1}},
                                   {2, 17, {9, 9}, {3, 3}, {1, 1}, {2, 2}, {2, 2}},
                                   {2, 1, {12, 12}, {11, 11}, {1, 1}, {5, 5}, {1, 1}}};
  with_each_isa([&] {
    for (const DepthwiseShape& shape : shapes) check(shape);
  });
}

TEST_CASE("depthwise: NaN reaches what reads it, and nothing else") {
  with_each_isa([] {
    Operands with = operands({2, 20, {6, 6}, {3, 3}, {1, 1}, {0, 0}, {1, 1}});
    with.x[0] = kNaN;
    const DepthwisePlan plan(with.shape);
    Floats packed(plan.packed_size()), y(with.dy.size());
    plan.pack(with.weights.data(), packed.data());
    plan.forward(with.x.data(), packed.data(), y.data(), {}, {0, 2});
    for (size_t i = 0; i < y.size(); ++i) CHECK(std::isnan(y[i]) == (i == 0));
  });
}
