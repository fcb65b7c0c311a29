// event_values.hpp: what monitors receive, as values of TensorBoard's events.
#pragma once
#include <algorithm>
#include <broch/broch.hpp>
#include <cmath>

#include "base/error.hpp"
#include "store/event_tensors.hpp"
#include "store/png.hpp"
#include "store/wav.hpp"

namespace broch::monitors {

// A picture of a summary, whose pixels are borrowed.
struct Picture {
  int32_t height, width, channels;
  View<const uint8_t> pixels;

  explicit Picture(const broch_dl_tensor& tensor)
      : height(int32_t(tensor.shape[0])),
        width(int32_t(tensor.shape[1])),
        channels(int32_t(tensor.shape[2])),
        pixels(view_as<const uint8_t>(tensor)) {}
  bool fits(const Picture& other) const {
    return height == other.height && width == other.width && channels == other.channels;
  }
};

inline store::EventImage png_of(const std::vector<uint8_t>& pixels, int32_t height, int32_t width,
                                int32_t channels) {
  return {height, width, channels, store::encode_png(pixels, height, width, channels)};
}
inline store::EventImage image_of(const Picture& picture) {
  return png_of({picture.pixels.begin(), picture.pixels.end()}, picture.height, picture.width,
                picture.channels);
}

// Pictures of one size side by side, in rows of so many, with a black line between them.
inline store::EventImage grid_of(const std::vector<Picture>& pictures, size_t columns) {
  constexpr int32_t kLine = 2;  // pixels
  const Picture& first = pictures[0];
  columns = std::min(columns, pictures.size());
  const size_t rows = (pictures.size() + columns - 1) / columns;
  const int32_t height = int32_t(rows) * (first.height + kLine) - kLine;
  const int32_t width = int32_t(columns) * (first.width + kLine) - kLine;
  std::vector<uint8_t> pixels(size_t(height) * size_t(width) * size_t(first.channels));
  const size_t row_bytes = size_t(first.width) * size_t(first.channels);
  for (size_t i = 0; i < pictures.size(); ++i)
    for (size_t y = 0; y < size_t(first.height); ++y) {
      const size_t down = i / columns * size_t(first.height + kLine) + y;
      const size_t right = i % columns * size_t(first.width + kLine);
      std::copy_n(
          pictures[i].pixels.begin() + ptrdiff_t(y * row_bytes), row_bytes,
          pixels.begin() + ptrdiff_t((down * size_t(width) + right) * size_t(first.channels)));
    }
  return png_of(pixels, height, width, first.channels);
}

inline store::Histogram histogram_of(const broch_summary_value& value) {
  const auto numbers = view_as<const double>(*value.tensor);
  try {
    return store::histogram_of(std::vector<float>(numbers.begin(), numbers.end()), value.tag);
  } catch (const base::Error& error) {
    throw Error(BROCH_E_NUMBERS, error.what());
  }
}

inline store::EventAudio audio_of(const broch_summary_value& value) {
  const auto samples = view_as<const float>(*value.tensor);
  const int64_t channels = value.tensor->shape[1];
  return {float(value.scalar), channels, value.tensor->shape[0],
          store::encode_wav({samples.begin(), samples.end()}, int32_t(channels),
                            int32_t(std::lround(value.scalar)))};
}

inline store::EventTensor curve_of(const broch_summary_value& value) {
  const auto counts = view_as<const double>(*value.tensor);
  return store::pr_curve_of({counts.begin(), counts.end()});
}

// A value that is no picture. No value: the kind is not known here.
inline std::optional<store::EventValue> event_value_of(const broch_summary_value& value) {
  switch (value.kind) {
    case BROCH_SUMMARY_SCALAR:
      return store::EventValue{value.tag, float(value.scalar)};
    case BROCH_SUMMARY_HISTOGRAM:
      return store::EventValue{value.tag, histogram_of(value)};
    case BROCH_SUMMARY_TEXT:
      return store::EventValue{
          value.tag, store::text_of({static_cast<const char*>(value.bytes), size_t(value.size)})};
    case BROCH_SUMMARY_AUDIO:
      return store::EventValue{value.tag, audio_of(value)};
    case BROCH_SUMMARY_PR_CURVE:
      return store::EventValue{value.tag, curve_of(value)};
    default:
      return std::nullopt;
  }
}

}  // namespace broch::monitors
