// picture_grid.hpp: some pictures of a batch as one, for monitors.
#pragma once
#include <broch/layers.hpp>

namespace examples {

// images: (N, C, H, W) with values from -1 to 1. Returns the first ones, in at most six rows and
// columns: (1, rows * H, columns * W, C), with values from 0 to 255.
inline broch::Tensor picture_grid(broch::Tower& t, const broch::Tensor& images) {
  broch::Ops& ops = t.ops();
  const int64_t c = t.size(images, 1), h = t.size(images, 2), w = t.size(images, 3);
  int64_t side = 1;
  while (side < 6 && (side + 1) * (side + 1) <= t.size(images, 0)) ++side;
  const broch::Tensor some = ops.narrow(images, 0, 0, side * side);
  const broch::Tensor tiles = ops.reshape(some, {side, side, c, h, w});
  const broch::Tensor rows =
      ops.reshape(ops.permute(tiles, {0, 3, 1, 4, 2}), {1, side * h, side * w, c});
  return (rows + broch::Scalar(1)) * broch::Scalar(127.5);
}

}  // namespace examples
