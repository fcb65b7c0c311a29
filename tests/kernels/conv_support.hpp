// conv_support.hpp: operands of convolutions, and results and gradients as sums in double.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/conv.hpp"
#include "support.hpp"

namespace broch::kernels {

using Doubles = std::vector<double>;

struct Operands {
  ConvShape shape;
  Floats x, weights, bias, dy;
};

struct Layouts {
  bool x_last, weights_last;
};

inline int64_t count_of(const Extent& extent) { return extent.height * extent.width; }

// Channels before (channels, size) or behind (size, channels) the pixels.
inline ConvStrides strides_of(int64_t channels, const Extent& size, bool last) {
  const int64_t pixels = count_of(size);
  if (last) return {channels * pixels, 1, size.width * channels, channels};
  return {channels * pixels, pixels, size.width, 1};
}

inline Operands operands(ConvShape shape, Layouts layouts) {
  shape.x = strides_of(shape.channels, shape.image, layouts.x_last);
  shape.weights = strides_of(shape.channels, shape.kernel, layouts.weights_last);
  const int64_t weights = shape.out_channels * shape.channels * count_of(shape.kernel);
  return {shape, random_floats(shape.images * shape.channels * count_of(shape.image), 1),
          random_floats(weights, 2), random_floats(shape.out_channels, 3),
          random_floats(shape.images * shape.out_channels * count_of(shape.out()), 4)};
}

inline int64_t at(const ConvStrides& strides, int64_t first, int64_t channel, int64_t row,
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

inline Plain plain(const Operands& with) {
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

// The pieces of all images in two parts, as two threads would take them; the parts meet within an
// image if that has several pieces. Scratch and packed weights start as NaN.
template <class Plan, class From>
Floats run(const Plan& plan, const From& from, const Floats& weights, Floats to,
           const ConvEpilogue& epilogue, int64_t images) {
  Floats packed(plan.packed_size(), kNaN), scratch(plan.scratch_size(), kNaN);
  plan.pack(weights.data(), packed.data());
  const int64_t pieces = images * plan.pieces(), half = pieces / 2;
  for (const PieceRange& range : {PieceRange{0, half}, PieceRange{half, pieces}}) {
    plan.run(from.data(), packed.data(), to.data(), epilogue, range, scratch.data());
  }
  return to;
}

template <class WeightsPlan>
void check_weights(const Operands& with, const Plain& expected, double tolerance) {
  const WeightsPlan plan(with.shape);
  const int64_t size = plan.sums_size(), images = with.shape.images, half = images / 2;
  Floats sums(3 * size, kNaN), scratch(plan.scratch_size(), kNaN);
  Floats d_weights(with.weights.size()), d_bias(with.bias.size());
  plan.run(with.x.data(), with.dy.data(), {0, half}, sums.data(), scratch.data());
  plan.run(with.x.data(), with.dy.data(), {half, images}, sums.data() + size, scratch.data());
  plan.finish(sums.data(), 2, d_weights.data(), d_bias.data());
  CHECK(difference(d_weights, expected.d_weights) < tolerance);
  CHECK(difference(d_bias, expected.d_bias) < 1e-5);
  CHECK(std::isnan(sums[2 * size]));
  plan.run(with.x.data(), with.dy.data(), {0, images}, sums.data(), scratch.data());
  plan.finish(sums.data(), 1, d_weights.data(), nullptr);
  CHECK(difference(d_weights, expected.d_weights) < tolerance);
}

// Results and gradients of a method, for a shape without strides. The tolerance is for sums of
// thousands of products.
template <class Plan, class WeightsPlan>
void check_method(const ConvShape& shape, Layouts layouts, double tolerance = 1e-4) {
  INFO(shape.channels, " to ", shape.out_channels, " channels, image ", shape.image.height, " x ",
       shape.image.width, ", kernel ", shape.kernel.height, " x ", shape.kernel.width, ", stride ",
       shape.stride.height, " ", shape.stride.width, ", x last ", layouts.x_last, ", weights last ",
       layouts.weights_last);
  const Operands with = operands(shape, layouts);
  const Plain expected = plain(with);
  const Floats y(with.dy.size(), kNaN), dx(with.x.size(), kNaN);
  CHECK(difference(run(Plan::forward(with.shape), with.x, with.weights, y, {}, shape.images),
                   expected.y) < tolerance);
  CHECK(
      difference(run(Plan::backward_input(with.shape), with.dy, with.weights, dx, {}, shape.images),
                 expected.dx) < tolerance);
  check_weights<WeightsPlan>(with, expected, tolerance);
}

// Square kernels, strides and paddings.
inline ConvShape square(int64_t channels, int64_t out_channels, Extent image, int64_t kernel,
                        int64_t stride, int64_t padding) {
  return {3,  channels, out_channels, image, {kernel, kernel}, {stride, stride}, {padding, padding},
          {}, {}};
}

}  // namespace broch::kernels
