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

// A block of channels of a row of pixels.
struct BlockRow {
  int64_t column, channel;  // distances between pixels and between channels
  int64_t channels;

  bool is_together(int64_t pixel) const {
    return channels == pixel && (channel == 1 || channels == 1);
  }
};

// What rows of pixels consist of.
struct FloatRow {
  const float* from;

  HWY_INLINE F vector(int64_t at) const { return load(from + at); }
  HWY_INLINE float one(int64_t at) const { return from[at]; }
};
struct ByteRow {
  const uint8_t* from;
  float scale;

  HWY_INLINE F vector(int64_t at) const {
    const auto bytes = hn::LoadU(hn::Rebind<uint8_t, Floats>(), from + at);
    const hn::RebindToSigned<Floats> integers;
    return hn::Mul(hn::ConvertTo(kFloats, hn::PromoteTo(integers, bytes)), set(scale));
  }
  HWY_INLINE float one(int64_t at) const { return static_cast<float>(from[at]) * scale; }
};

#if HWY_TARGET != HWY_SCALAR
// Copies whole vectors of pixels whose channels are apart, and returns how many pixels.
template <class Row>
HWY_INLINE int64_t bring_together(const Row& row, const BlockRow& block, int64_t size,
                                  int64_t pixel, float* to) {
  int64_t i = 0;
  for (; i + lanes() <= size; i += lanes()) {
    F c[4];
    for (int64_t n = 0; n < 4; ++n) {
      c[n] = n < block.channels ? row.vector(n * block.channel + i) : hn::Zero(kFloats);
    }
    if (pixel == 3) {
      hn::StoreInterleaved3(c[0], c[1], c[2], kFloats, to + i * 3);
    } else {
      hn::StoreInterleaved4(c[0], c[1], c[2], c[3], kFloats, to + i * 4);
    }
  }
  return i;
}
#endif

// Copies a block of channels of `size` pixels so that the `pixel` channels of each are adjacent;
// those that are missing become 0.
template <class Row>
HWY_INLINE void prepare(const Row& row, const BlockRow& block, int64_t size, int64_t pixel,
                        float* to) {
  int64_t i = 0;  // pixels that are done
  if (block.is_together(pixel) && block.column == pixel) {
    for (; i + lanes() <= size; i += lanes()) {
      for (int64_t v = 0; v < pixel; ++v) {
        const int64_t at = i * pixel + v * lanes();
        store(row.vector(at), to + at);
      }
    }
  }
#if HWY_TARGET != HWY_SCALAR
  if (block.column == 1 && (pixel == 3 || pixel == 4)) {
    i = bring_together(row, block, size, pixel, to);
  }
#endif
  for (; i < size; ++i) {
    for (int64_t c = 0; c < pixel; ++c) {
      to[i * pixel + c] = c < block.channels ? row.one(i * block.column + c * block.channel) : 0;
    }
  }
}

template <int64_t pixel>
HWY_INLINE void copy_pixels(const float* from, int64_t step, int64_t size, float* to) {
  for (int64_t i = 0; i < size; ++i) {
    std::memcpy(to + i * pixel, from + i * step, pixel * sizeof(float));
  }
}

// Copies `size` pixels that are `step` floats apart; missing channels of the block become 0.
HWY_INLINE void copy_line(const BlockRow& block, const float* from, int64_t step, int64_t pixel,
                          int64_t size, float* to) {
  if (!block.is_together(pixel)) {
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t c = 0; c < block.channels; ++c) {
        to[i * pixel + c] = from[i * step + c * block.channel];
      }
      for (int64_t c = block.channels; c < pixel; ++c) to[i * pixel + c] = 0;
    }
    return;
  }
  if (step == pixel) {
    std::memcpy(to, from, static_cast<size_t>(size * pixel) * sizeof(float));
    return;
  }
  switch (pixel) {
    case 1:
      return copy_pixels<1>(from, step, size, to);
    case 3:
      return copy_pixels<3>(from, step, size, to);
    case 4:
      return copy_pixels<4>(from, step, size, to);
    default:
      return copy_pixels<16>(from, step, size, to);
  }
}

// Prepares `size` pixels, from element `at` on, of which `block` is to be read.
HWY_INLINE void prepare_pixels(const ConvImage& image, const void* from, int64_t at,
                               const BlockRow& block, int64_t size, float* to) {
  if (image.is_bytes) {
    prepare(ByteRow{static_cast<const uint8_t*>(from) + at, image.scale}, block, size, image.pixel,
            to);
  } else {
    prepare(FloatRow{static_cast<const float*>(from) + at}, block, size, image.pixel, to);
  }
}

// Copies one block of channels of the row of pixels that begins with element `at`: its phases, to
// lines that are `line_step` floats apart. prepared: memory for a row.
HWY_INLINE void copy_block(const ConvImage& image, const void* from, int64_t at, BlockRow block,
                           float* to, int64_t line_step, float* prepared) {
  const int64_t pixel = image.pixel, step = image.step.width;
  const bool is_direct = image.has_rows_prepared() && step == 1;
  const float* floats = nullptr;
  if (!image.has_rows_prepared()) {
    floats = static_cast<const float*>(from) + at;
  } else if (!is_direct) {
    prepare_pixels(image, from, at, block, image.size.width, prepared);
    floats = prepared;
    block = {pixel, 1, pixel};
  }
  const auto column_from = [&](int64_t padded, int64_t phase) {
    return std::clamp<int64_t>(image.first_behind(padded, phase), 0, image.columns);
  };
  for (int64_t phase = 0; phase < image.kept.width; ++phase, to += line_step) {
    const int64_t begin = column_from(image.left, phase);
    const int64_t end = column_from(image.left + image.size.width, phase);
    const int64_t x = begin * step + phase - image.left;
    if (begin > 0) zero(to, begin * pixel);
    if (is_direct) {
      prepare_pixels(image, from, at + x * block.column, block, end - begin, to + begin * pixel);
    } else {
      copy_line(block, floats + x * block.column, step * block.column, pixel, end - begin,
                to + begin * pixel);
    }
    if (end < image.columns) zero(to + end * pixel, (image.columns - end) * pixel);
  }
}

// Copies some rows of the ordered image to where they are in it. The image begins with element
// `first`.
inline void copy_image(const ConvImage& image, const void* from, int64_t first, float* to,
                       const ImageRange& rows) {
  float* const prepared = to + image.floats();
  to += rows.begin * image.row();
  for (int64_t r = rows.begin; r < rows.end; ++r, to += image.row()) {
    const int64_t y = image.source_row(r);
    if (y < 0 || y >= image.size.height) {
      zero(to, image.row());
      continue;
    }
    for (int64_t block = 0; block < image.blocks(); ++block) {
      const int64_t channel = block * image.pixel;
      copy_block(image, from, first + y * image.strides.row + channel * image.strides.channel,
                 {image.strides.column, image.strides.channel,
                  std::min(image.pixel, image.channels - channel)},
                 to + block * image.line(), image.blocks() * image.line(), prepared);
    }
  }
}

// Some rows of one image in the right order: in its own memory, or copied into scratch. Returns
// where the first row is or would be.
HWY_INLINE const float* ordered(const ConvImage& image, const void* from, int64_t number,
                                float* scratch, const ImageRange& rows) {
  const int64_t first = number * image.strides.first;
  if (image.in_place()) return static_cast<const float*>(from) + first;
  copy_image(image, from, first, scratch, rows);
  return scratch;
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
