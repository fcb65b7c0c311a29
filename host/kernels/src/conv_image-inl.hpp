// conv_image-inl.hpp: copies an image into the order in which convolutions read it.
#if defined(BROCH_KERNELS_CONV_IMAGE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef BROCH_KERNELS_CONV_IMAGE_INL_HPP
#undef BROCH_KERNELS_CONV_IMAGE_INL_HPP
#else
#define BROCH_KERNELS_CONV_IMAGE_INL_HPP
#endif
#include <cstring>

#include "conv_image.hpp"
#include "vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

HWY_INLINE void zero(float* to, int64_t size) {
  std::memset(to, 0, static_cast<size_t>(size) * sizeof(float));
}

// Copies one block of a line: `size` pixels that are `step` floats apart, and `channels` of each;
// the other channels of the block become 0.
HWY_INLINE void copy_line(const ConvImage& image, const float* from, int64_t step, int64_t channels,
                          int64_t size, float* to) {
  const int64_t channel = image.strides.channel, pixel = image.pixel;
  if (channels == 16 && channel == 1) {
    for (int64_t i = 0; i < size; ++i) std::memcpy(to + i * 16, from + i * step, 64);
    return;
  }
  if (pixel == 1 && step == 1) {
    std::memcpy(to, from, static_cast<size_t>(size) * sizeof(float));
    return;
  }
  int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  if (pixel == 3 && channels == 3 && step == 1) {
    for (; i + lanes() <= size; i += lanes()) {
      hn::StoreInterleaved3(load(from + i), load(from + channel + i), load(from + 2 * channel + i),
                            kFloats, to + i * 3);
    }
  }
#endif
  for (; i < size; ++i) {
    for (int64_t c = 0; c < channels; ++c) to[i * pixel + c] = from[i * step + c * channel];
    for (int64_t c = channels; c < pixel; ++c) to[i * pixel + c] = 0;
  }
}

// Copies some rows of the ordered image to where they are in it.
inline void copy_image(const ConvImage& image, const float* from, float* to,
                       const ImageRange& rows) {
  const int64_t step = image.step.width, pixel = image.pixel;
  const auto column_from = [&](int64_t padded, int64_t phase) {
    return std::clamp<int64_t>(image.first_behind(padded, phase), 0, image.columns);
  };
  to += rows.begin * image.row();
  for (int64_t r = rows.begin; r < rows.end; ++r, to += image.row()) {
    const int64_t y = image.source_row(r);
    if (y < 0 || y >= image.size.height) {
      zero(to, image.row());
      continue;
    }
    for (int64_t part = 0; part < image.kept.width * image.blocks(); ++part) {
      const int64_t phase = part / image.blocks(), channel = part % image.blocks() * pixel;
      const int64_t begin = column_from(image.left, phase);
      const int64_t end = column_from(image.left + image.size.width, phase);
      const int64_t x = begin * step + phase - image.left;
      float* const line = to + part * image.line();
      zero(line, begin * pixel);
      copy_line(
          image,
          from + y * image.strides.row + x * image.strides.column + channel * image.strides.channel,
          step * image.strides.column, std::min(pixel, image.channels - channel), end - begin,
          line + begin * pixel);
      zero(line + end * pixel, (image.columns - end) * pixel);
    }
  }
}

// Some rows of one image in the right order: in its own memory, or copied into scratch. Returns
// where the first row is or would be.
HWY_INLINE const float* ordered(const ConvImage& image, const float* from, int64_t number,
                                float* scratch, const ImageRange& rows) {
  from += number * image.strides.first;
  if (image.in_place()) return from;
  copy_image(image, from, scratch, rows);
  return scratch;
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
