// conv_image.hpp: one image as convolutions read it: with padding, and ordered so that the pixels
// for neighboring results are a fixed number of floats apart.
//
// The order is rows, phases, blocks of channels, columns, channels of a block. Column c of the
// padded image is column c / step of phase c % step, where step is the stride. So the taps of one
// phase are contiguous, and so is what neighboring results read. Rows and phases that no tap reads
// are left out.
#pragma once
#include <algorithm>

#include "kernels/conv.hpp"

namespace broch::kernels {

struct ConvImage {
  int64_t channels = 0;
  Extent size;  // without padding
  ConvStrides strides;
  bool is_bytes = false;  // as in ConvShape
  float scale = 1;
  int64_t pixel = 16;  // the number of channels in a block: 1, 3, 4 or 16
  Extent step, kept;   // of step.height rows the first kept.height are kept; likewise of the phases
  int64_t rows = 0, columns = 0;
  int64_t top = 0, left = 0;  // where the image begins; negative: it is cropped

  int64_t blocks() const noexcept { return (channels + pixel - 1) / pixel; }
  int64_t line() const noexcept { return columns * pixel; }
  int64_t row() const noexcept { return kept.width * blocks() * line(); }
  int64_t floats() const noexcept { return rows * row(); }
  // Whether rows of pixels become floats with adjacent channels: where they belong, or, if there
  // are several phases, in a row of their own first.
  bool has_rows_prepared() const noexcept {
    return is_bytes || ((pixel == 3 || pixel == 4) && strides.column == 1 && strides.channel != 1);
  }
  // The floats that copying an image takes.
  int64_t scratch() const noexcept {
    return in_place() ? 0
                      : floats() + (has_rows_prepared() && step.width > 1 ? size.width * pixel : 0);
  }
  int64_t at(int64_t r, int64_t phase, int64_t block, int64_t column) const noexcept {
    return r * row() + (phase * blocks() + block) * line() + column * pixel;
  }
  // The row of the image, possibly outside of it, that is stored as row r.
  int64_t source_row(int64_t r) const noexcept {
    return r / kept.height * step.height + r % kept.height - top;
  }
  // The first column of a phase that is at or after column `padded` of the padded image.
  int64_t first_behind(int64_t padded, int64_t phase) const noexcept {
    const int64_t apart = padded - phase;
    return apart > 0 ? (apart + step.width - 1) / step.width : -(-apart / step.width);
  }
  // The results, of `height` rows, for which kernel row `row` reads rows of the image.
  ImageRange results_inside(int64_t row, int64_t height) const noexcept {
    ImageRange range{0, height};
    while (range.begin < height && range.begin * step.height + row < top) ++range.begin;
    while (range.end > range.begin && (range.end - 1) * step.height + row >= top + size.height) {
      --range.end;
    }
    return range;
  }
  // Whether the images are already stored in this order.
  bool in_place() const noexcept {
    return !is_bytes && top == 0 && left == 0 && step.width == 1 && channels == pixel &&
           rows == size.height && columns == size.width && strides.column == pixel &&
           strides.row == row() && (strides.channel == 1 || channels == 1);
  }
};

// Channels that fill up a block are computed in vain, so large blocks are only for channels that
// fill more than three quarters of them.
inline int64_t pixel_of(int64_t channels) {
  if (channels <= 3) return channels == 1 ? 1 : 3;
  const int64_t in_large_blocks = (channels + 15) / 16 * 16;
  return 4 * channels > 3 * in_large_blocks ? 16 : 4;
}

// The part of x that a convolution reads, in blocks of `pixel` channels.
inline ConvImage input_of(const ConvShape& shape, int64_t pixel) {
  const Extent out = shape.out();
  ConvImage image;
  image.channels = shape.channels;
  image.size = shape.image;
  image.strides = shape.x;
  image.is_bytes = shape.is_bytes;
  image.scale = shape.scale;
  image.pixel = pixel;
  image.step = shape.stride;
  image.kept = {std::min(shape.stride.height, shape.kernel.height),
                std::min(shape.stride.width, shape.kernel.width)};
  image.rows = (out.height - 1) * image.kept.height + shape.kernel.height;
  image.columns = out.width + (shape.kernel.width - 1) / shape.stride.width;
  image.top = shape.padding.height;
  image.left = shape.padding.width;
  return image;
}

}  // namespace broch::kernels
