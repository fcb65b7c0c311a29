// regions.hpp: layers that look at parts of feature maps.
#pragma once
#include "layer.hpp"

namespace broch {
inline namespace v0 {

struct RoiAlignOptions {
  Extent<2> resolution = 7;  // rows and columns of the result
  double scale = 1;          // pixels of x for each pixel that boxes are given in
  int64_t samples = 2;       // rows and columns of places in each cell, whose mean is the cell
};

namespace glue {

// Where a row or column of samples lies on a feature map: the middles of equal parts of a box.
struct Samples {
  Tensor place;   // (N, K, size), as the grid sampler counts: -1 to 1 from edge to edge
  Tensor inside;  // (N, K, size): 1, or 0 where a sample is too far outside
};
// from, to: (N, K), in pixels of the map, which has length pixels.
inline Samples samples_between(Tower& t, const Tensor& from, const Tensor& to, int64_t size,
                               int64_t length) {
  Ops& ops = t.ops();
  std::vector<float> middles;
  for (int64_t i = 0; i < size; ++i) middles.push_back((float(i) + 0.5F) / float(size));
  const Tensor middle = ops.to_dtype(t.constant(middles, {size}), t.dtype(from));
  const Tensor begin = ops.unsqueeze(from, 2);
  const Tensor at = begin + (ops.unsqueeze(to, 2) - begin) * middle;
  const Tensor inside =
      ops.logical_and(ops.ge(at, Scalar(-0.5)), ops.le(at, Scalar(double(length) + 0.5)));
  return {at * Scalar(2.0 / double(length)) - Scalar(1.0), ops.to_dtype(inside, t.dtype(from))};
}

}  // namespace glue

// The features in boxes, each as an image of the same size (He, Gkioxari, Dollár and Girshick, Mask
// R-CNN, 2017; tensorpack: `roi_align`). x: (N, C, H, W). boxes: floating-point (N, K, 4), K for
// each image: left, top, right and bottom in pixels, whose edges have whole numbers. Returns (N, K,
// C, rows, columns) in the type of boxes. Values between the middles of pixels are interpolated; up
// to a pixel outside of x the nearest pixel counts, further outside it is 0.
inline Tensor roi_align(Tower& t, const std::string& name, const Tensor& x, const Tensor& boxes,
                        const RoiAlignOptions& options = {}) {
  const glue::Checked checked(t, "roi_align", name);
  const std::vector<int64_t> shape = checked.rank("x", x, 4, "(N, C, H, W)");
  checked.floating("x", x);
  checked.floating("boxes", boxes);
  const std::vector<int64_t> given = checked.rank("boxes", boxes, 3, "(N, K, 4)");
  if (given[0] != shape[0] || given[2] != 4)
    checked.refuse(checked.is("boxes", boxes) + " and " + checked.is("x", x), "boxes (N, K, 4)");
  checked.at_least("resolution", options.resolution, 1);
  checked.at_least("samples", options.samples, 1);
  if (!(options.scale > 0)) checked.refuse("scale is " + std::to_string(options.scale), "above 0");

  Ops& ops = t.ops();
  const int64_t n = shape[0], k = given[1], rows = options.resolution[0] * options.samples,
                columns = options.resolution[1] * options.samples;
  const Tensor scaled = boxes * Scalar(options.scale);
  const auto side = [&](int64_t i) { return ops.select(scaled, 2, i); };
  const glue::Samples across = glue::samples_between(t, side(0), side(2), columns, shape[3]);
  const glue::Samples down = glue::samples_between(t, side(1), side(3), rows, shape[2]);
  const auto laid_out = [&](const Tensor& of_rows, const Tensor& of_columns) {
    const Ints size = {n, k, rows, columns};
    return std::vector<Tensor>{ops.expand(ops.unsqueeze(of_columns, 2), size),
                               ops.expand(ops.unsqueeze(of_rows, 3), size)};
  };
  // All boxes of an image, one below the other.
  const Tensor grid =
      ops.reshape(ops.stack(laid_out(down.place, across.place), 4), {n, k * rows, columns, 2});
  const auto masks = laid_out(down.inside, across.inside);
  const Tensor inside = ops.reshape(masks[0] * masks[1], {n, 1, k * rows, columns});
  constexpr int kBilinear = 0, kNearestOutside = 1;
  const Tensor sampled =
      ops.grid_sampler_2d(ops.to_dtype(x, t.dtype(boxes)), grid, kBilinear, kNearestOutside, false);
  const Tensor cells = ops.avg_pool2d(sampled * inside, {options.samples});
  return glue::output(t, name,
                      ops.transpose(ops.reshape(cells, {n, shape[1], k, options.resolution[0],
                                                        options.resolution[1]}),
                                    1, 2));
}

struct CorrelationOptions {
  int64_t reach = 4;   // greatest displacement in rows and in columns
  int64_t stride = 1;  // between displacements
};

// How alike two feature maps are if one of them is displaced (Fischer et al., FlowNet, 2015;
// tensorpack: `correlation` of examples/OpticalFlow). a, b: floating-point (N, C, H, W). Returns
// (N, D * D, H, W) with D = 2 * (reach / stride, rounded down) + 1: for each displacement, rows
// before columns, the mean over the channels of a at (y, x) times b at (y + rows, x + columns). b
// is 0 outside.
inline Tensor correlation(Tower& t, const std::string& name, const Tensor& a, const Tensor& b,
                          const CorrelationOptions& options = {}) {
  const glue::Checked checked(t, "correlation", name);
  const std::vector<int64_t> shape = checked.rank("a", a, 4, "(N, C, H, W)");
  checked.floating("a", a);
  checked.shape("b", b, shape);
  checked.at_least("reach", options.reach, 0);
  checked.at_least("stride", options.stride, 1);

  Ops& ops = t.ops();
  const int64_t furthest = options.reach / options.stride * options.stride;
  const Tensor padded = ops.constant_pad_nd(b, {furthest, furthest, furthest, furthest});
  const Tensor beside = ops.unsqueeze(a, 3);
  std::vector<Tensor> displaced;
  for (int64_t row = 0; row <= 2 * furthest; row += options.stride) {
    const Tensor window = ops.unfold(ops.narrow(padded, 2, row, shape[2]), 3, shape[3],
                                     options.stride);  // (N, C, H, D, W)
    displaced.push_back(ops.permute(ops.mean_dim(beside * window, {1}), {0, 2, 1, 3}));
  }
  return glue::output(t, name, ops.cat(displaced, 1));
}

}  // namespace v0
}  // namespace broch
