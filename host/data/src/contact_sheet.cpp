// contact_sheet.cpp: finds images by dtype and shape, shrinks large ones, and lays them out.
#include "data/contact_sheet.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "runtime/dlpack.hpp"
#include "store/atomic_file.hpp"
#include "store/png.hpp"

namespace broch::data {
namespace {

constexpr int64_t kSmallest = 4, kLargest = 1 << 15;  // sides of what counts as an image
constexpr int64_t kCell = 192;                        // larger images are shrunk to this side
constexpr int64_t kGap = 2;
constexpr uint8_t kBackground = 64;

// How the elements of one image lie in memory; steps count elements.
struct Layout {
  int64_t images = 0, channels = 1, height = 0, width = 0;
  int64_t row_step = 0, column_step = 0, channel_step = 0;
};

bool is_side(int64_t size) { return size >= kSmallest && size <= kLargest; }
bool is_channels(int64_t size) { return size == 1 || size == 3 || size == 4; }

Layout flat(int64_t height, int64_t width) { return {1, 1, height, width, width, 1, 0}; }
Layout channels_last(int64_t height, int64_t width, int64_t channels) {
  return {1, channels, height, width, width * channels, channels, 1};
}
Layout channels_first(int64_t channels, int64_t height, int64_t width) {
  return {1, channels, height, width, width, 1, height * width};
}

// images is 0 if the component is no image.
Layout layout_of(broch_dtype dtype, std::span<const int64_t> shape) {
  const bool bytes = dtype == BROCH_UINT8;
  if (!bytes && dtype != BROCH_FLOAT32) return {};
  const size_t rank = shape.size();
  if (rank == 2 && is_side(shape[0]) && is_side(shape[1])) return flat(shape[0], shape[1]);
  if (rank == 3 && is_side(shape[1])) {
    if (is_side(shape[0]) && is_channels(shape[2]) && (bytes || !is_channels(shape[0])))
      return channels_last(shape[0], shape[1], shape[2]);
    if (!bytes && is_channels(shape[0]) && is_side(shape[2]))
      return channels_first(shape[0], shape[1], shape[2]);
  }
  if ((rank != 3 && rank != 4) || shape[0] < 1) return {};
  Layout batch = layout_of(dtype, shape.subspan(1));
  batch.images *= shape[0];
  return batch;
}

// Source elements as bytes: as they are, or stretched from least to greatest.
std::vector<uint8_t> as_bytes(broch_dtype dtype, const char* data, size_t elements) {
  std::vector<uint8_t> bytes(elements);
  if (dtype == BROCH_UINT8) {
    std::memcpy(bytes.data(), data, elements);
    return bytes;
  }
  std::vector<float> values(elements);
  std::memcpy(values.data(), data, elements * sizeof(float));
  float least = INFINITY, greatest = -INFINITY;
  for (const float value : values)
    if (std::isfinite(value)) least = std::min(least, value), greatest = std::max(greatest, value);
  const float scale = greatest > least ? 255 / (greatest - least) : 0;
  for (size_t i = 0; i < elements; ++i)
    if (std::isfinite(values[i])) bytes[i] = uint8_t(std::lround((values[i] - least) * scale));
  return bytes;
}

// The mean of the source pixels under one pixel of the smaller image.
uint8_t mean_of(const uint8_t* data, const Layout& layout, int64_t y0, int64_t y1, int64_t x0,
                int64_t x1, int64_t channel) {
  int64_t sum = 0;
  for (int64_t y = y0; y < y1; ++y)
    for (int64_t x = x0; x < x1; ++x)
      sum += data[y * layout.row_step + x * layout.column_step + channel * layout.channel_step];
  return uint8_t(sum / ((y1 - y0) * (x1 - x0)));
}

}  // namespace

size_t ContactSheet::add(const broch_dl_tensor& component) {
  const runtime::TensorInfo info = runtime::describe_dl(component);
  const Layout layout = layout_of(info.dtype, info.shape.span());
  if (layout.images == 0) return 0;
  std::string memory(runtime::dl_bytes(component), '\0');
  runtime::dl_copy(component, memory.data());
  const auto elements = size_t(layout.channels * layout.height * layout.width);
  const size_t bytes_per_image = elements * runtime::dtype_size(info.dtype);
  const int64_t shrink = (std::max(layout.height, layout.width) + kCell - 1) / kCell;
  size_t added = 0;
  for (; added < size_t(layout.images) && images_.size() < kMost; ++added) {
    const std::vector<uint8_t> source =
        as_bytes(info.dtype, memory.data() + added * bytes_per_image, elements);
    Image image{layout.height / shrink, layout.width / shrink, {}};
    if (image.height == 0 || image.width == 0) return added;
    for (int64_t y = 0; y < image.height; ++y)
      for (int64_t x = 0; x < image.width; ++x)
        for (int64_t c = 0; c < 3; ++c)
          image.pixels.push_back(mean_of(source.data(), layout, y * shrink, (y + 1) * shrink,
                                         x * shrink, (x + 1) * shrink,
                                         layout.channels == 1 ? 0 : c));
    images_.push_back(std::move(image));
  }
  return added;
}

void ContactSheet::write(const std::filesystem::path& file) const {
  int64_t height = 0, width = 0;
  for (const Image& image : images_)
    height = std::max(height, image.height), width = std::max(width, image.width);
  const auto columns = int64_t(std::ceil(std::sqrt(double(images_.size()))));
  const int64_t rows = (int64_t(images_.size()) + columns - 1) / columns;
  const int64_t whole_width = columns * (width + kGap) + kGap;
  const int64_t whole_height = rows * (height + kGap) + kGap;
  std::vector<uint8_t> pixels(size_t(whole_height * whole_width * 3), kBackground);
  for (size_t i = 0; i < images_.size(); ++i) {
    const Image& image = images_[i];
    const int64_t top = int64_t(i) / columns * (height + kGap) + kGap;
    const int64_t left = int64_t(i) % columns * (width + kGap) + kGap;
    for (int64_t y = 0; y < image.height; ++y)
      std::memcpy(pixels.data() + ((top + y) * whole_width + left) * 3,
                  image.pixels.data() + y * image.width * 3, size_t(image.width * 3));
  }
  store::write_atomically(
      file, store::encode_png(pixels, int32_t(whole_height), int32_t(whole_width), 3));
}

}  // namespace broch::data
