// max_pool.cpp: pools plane by plane or, channels last, all channels of a window at once.
#include "kernels/max_pool.hpp"

#include <cmath>

#include "targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "max_pool.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

HWY_INLINE bool beats(float value, float largest) { return value > largest || value != value; }

// The part of a window that lies inside the image.
struct Window {
  int64_t top, bottom, left, right;
};

HWY_INLINE Window window_at(const MaxPool& shape, int64_t row, int64_t column) {
  const int64_t top = row * shape.stride_h - shape.pad_h;
  const int64_t left = column * shape.stride_w - shape.pad_w;
  const int64_t bottom = top + shape.kernel_h, right = left + shape.kernel_w;
  return {top < 0 ? 0 : top, bottom < shape.height ? bottom : shape.height, left < 0 ? 0 : left,
          right < shape.width ? right : shape.width};
}

void plane(const MaxPool& shape, const float* x, float* y, int64_t* indices) {
  for (int64_t row = 0; row < shape.out_height; ++row) {
    for (int64_t column = 0; column < shape.out_width; ++column) {
      const Window window = window_at(shape, row, column);
      float largest = -HUGE_VALF;
      int64_t place = window.top * shape.width + window.left;
      for (int64_t i = window.top; i < window.bottom; ++i) {
        for (int64_t j = window.left; j < window.right; ++j) {
          const int64_t at = i * shape.width + j;
          if (!beats(x[at], largest)) continue;
          largest = x[at];
          place = at;
        }
      }
      *y++ = largest;
      *indices++ = place;
    }
  }
}

// Whether value replaces the largest so far, like beats().
HWY_INLINE hn::Mask<Floats> better(F value, F largest) {
  return hn::Or(hn::Gt(value, largest), unequal(value, value));
}

// For windows of two by two without overlap, the common case: a vector holds one element of many
// windows, across the ends of rows.
void plane_of_pairs(const MaxPool& shape, const float* x, float* y, int64_t* indices) {
  const hn::RebindToSigned<Floats> integers;
  const int64_t size = shape.out_height * shape.out_width;
  const auto width = static_cast<int32_t>(shape.width);
  HWY_ALIGN int32_t places[HWY_MAX_BYTES / 4] = {};
  int32_t first = 0;
  for (int64_t at = 0, column = 0; at < size; at += lanes()) {
    const int64_t count = size - at < lanes() ? size - at : lanes();
    for (int64_t i = 0; i < count; ++i, first += 2) {
      places[i] = first;
      if (++column < shape.out_width) continue;
      column = 0;
      first += 2 * width - 2 * static_cast<int32_t>(shape.out_width);
    }
    const auto corner = hn::Load(integers, places);
    auto place = corner;
    F largest = hn::GatherIndex(kFloats, x, corner);
    for (const int32_t step : {1, width, width + 1}) {
      const auto next = hn::Add(corner, hn::Set(integers, step));
      const F value = hn::GatherIndex(kFloats, x, next);
      const auto chosen = better(value, largest);
      largest = hn::IfThenElse(chosen, value, largest);
      place = hn::IfThenElse(hn::RebindMask(integers, chosen), next, place);
    }
    count == lanes() ? store(largest, y + at) : store_part(largest, y + at, count);
    HWY_ALIGN int32_t found[HWY_MAX_BYTES / 4];
    hn::Store(place, integers, found);
    for (int64_t i = 0; i < count; ++i) indices[at + i] = found[i];
  }
}

// Pools one window of all channels. Indices are int32 until they are stored.
void window_of_channels(const MaxPool& shape, const Window& window, const float* x, float* y,
                        int64_t* indices) {
  const hn::RebindToSigned<Floats> integers;
  sweep(shape.channels, [&](auto load, auto store, int64_t channel) HWY_ATTR {
    const auto start = static_cast<int32_t>(window.top * shape.width + window.left);
    F largest = set(-HUGE_VALF);
    auto place = hn::Set(integers, start);
    for (int64_t i = window.top; i < window.bottom; ++i) {
      for (int64_t j = window.left; j < window.right; ++j) {
        const int64_t at = i * shape.width + j;
        const F value = load(x + at * shape.channels + channel);
        const auto chosen = better(value, largest);
        largest = hn::IfThenElse(chosen, value, largest);
        place = hn::IfThenElse(hn::RebindMask(integers, chosen),
                               hn::Set(integers, static_cast<int32_t>(at)), place);
      }
    }
    store(largest, y + channel);
    HWY_ALIGN int32_t places[HWY_MAX_BYTES / 4];
    hn::Store(place, integers, places);
    const int64_t left = shape.channels - channel, count = left < lanes() ? left : lanes();
    for (int64_t i = 0; i < count; ++i) indices[channel + i] = places[i];
  });
}

void channels_last(const MaxPool& shape, const float* x, float* y, int64_t* indices) {
  for (int64_t row = 0; row < shape.out_height; ++row) {
    for (int64_t column = 0; column < shape.out_width; ++column) {
      window_of_channels(shape, window_at(shape, row, column), x, y, indices);
      y += shape.channels;
      indices += shape.channels;
    }
  }
}

HWY_INLINE bool pairs(const MaxPool& shape) {
  return shape.kernel_h == 2 && shape.kernel_w == 2 && shape.stride_h == 2 && shape.stride_w == 2 &&
         shape.pad_h == 0 && shape.pad_w == 0 && 2 * shape.out_height <= shape.height &&
         2 * shape.out_width <= shape.width;
}

void max_pool(const MaxPool& shape, const float* x, float* y, int64_t* indices, int64_t begin,
              int64_t end) {
  const int64_t in = shape.height * shape.width, out = shape.out_height * shape.out_width;
  const auto one_plane = pairs(shape) ? plane_of_pairs : plane;
  for (int64_t i = begin * shape.channels; i < end * shape.channels; ++i) {
    if (!shape.channels_last) {
      one_plane(shape, x + i * in, y + i * out, indices + i * out);
    } else if (i % shape.channels == 0) {
      channels_last(shape, x + i * in, y + i * out, indices + i * out);
    }
  }
}

void max_pool_backward(const MaxPool& shape, const float* dy, const int64_t* indices, float* dx,
                       int64_t begin, int64_t end) {
  const int64_t places = shape.height * shape.width, spots = shape.out_height * shape.out_width;
  for (int64_t image = begin; image < end; ++image) {
    float* const to = dx + image * shape.channels * places;
    const int64_t start = image * shape.channels * spots;
    for (int64_t i = 0; i < shape.channels * places; ++i) to[i] = 0;
    const int64_t outer = shape.channels_last ? spots : shape.channels;
    const int64_t inner = shape.channels_last ? shape.channels : spots;
    for (int64_t i = 0, at = start; i < outer; ++i) {
      for (int64_t j = 0; j < inner; ++j, ++at) {
        const int64_t element =
            shape.channels_last ? indices[at] * shape.channels + j : i * places + indices[at];
        to[element] += dy[at];
      }
    }
  }
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {

void max_pool(const MaxPool& shape, const float* x, float* y, int64_t* indices, int64_t begin,
              int64_t end) noexcept {
  BROCH_KERNEL(max_pool)(shape, x, y, indices, begin, end);
}

void max_pool_backward(const MaxPool& shape, const float* dy, const int64_t* indices, float* dx,
                       int64_t begin, int64_t end) noexcept {
  BROCH_KERNEL(max_pool_backward)(shape, dy, indices, dx, begin, end);
}

}  // namespace broch::kernels
#endif
