// image.cpp: converts a tensor to NHWC bytes.
#include "summary/image.hpp"

#include <string>

#include "base/error.hpp"
#include "base/text.hpp"

namespace broch::summary {

namespace {

std::string shape_text(const broch_dl_tensor& data) {
  return "shape " + base::shape_text({data.shape, static_cast<size_t>(data.ndim)});
}

[[noreturn]] void refuse(const char* name, const std::string& found, const char* expected) {
  throw base::Error{base::Exit::training,
                    {std::string("image '") + name + "'", found, expected, ""}};
}

bool is_channels(int64_t size) { return size == 1 || size == 3 || size == 4; }

// Computes shape and strides in the order (N, H, W, C). Dimensions that data lacks get size 1.
void normalize(const char* name, const broch_dl_tensor& data, int64_t (&shape)[4],
               int64_t (&strides)[4]) {
  int64_t in_strides[4] = {};
  int64_t step = 1;
  if (data.ndim < 2 || data.ndim > 4) refuse(name, shape_text(data), "2, 3 or 4 dimensions");
  for (int32_t i = data.ndim - 1; i >= 0; --i) {
    in_strides[i] = data.strides ? data.strides[i] : step;
    step *= data.shape[i];
  }
  const bool has_channels = data.ndim == 4 || (data.ndim == 3 && is_channels(data.shape[2]));
  const bool has_count = data.ndim == 4 || (data.ndim == 3 && !has_channels);
  const int32_t rows = has_count ? 1 : 0;
  const auto set = [&](int place, bool present, int32_t from) {
    shape[place] = present ? data.shape[from] : 1;
    strides[place] = present ? in_strides[from] : 0;
  };
  set(0, has_count, 0);
  set(1, true, rows);
  set(2, true, rows + 1);
  set(3, has_channels, rows + 2);
  if (!is_channels(shape[3])) refuse(name, shape_text(data), "1, 3 or 4 channels");
}

uint8_t to_byte(double value) {
  return value >= 255 ? 255 : value > 0 ? static_cast<uint8_t>(value) : 0;  // NaN becomes 0
}

using Reader = uint8_t (*)(const void* base, int64_t index);
template <class T>
uint8_t read_as(const void* base, int64_t index) {
  return to_byte(static_cast<double>(static_cast<const T*>(base)[index]));
}

Reader reader_of(const char* name, broch_dl_type type) {
  if (type.lanes == 1 && type.code == BROCH_DL_UINT && type.bits == 8) return read_as<uint8_t>;
  if (type.lanes == 1 && type.code == BROCH_DL_FLOAT && type.bits == 32) return read_as<float>;
  if (type.lanes == 1 && type.code == BROCH_DL_FLOAT && type.bits == 64) return read_as<double>;
  refuse(name, "another element type", "uint8, float32 or float64");
}

}  // namespace

Image::Image(const char* name, const broch_dl_tensor& data) {
  int64_t strides[4];
  normalize(name, data, shape_, strides);
  if (data.device.device_type == BROCH_DL_CUDA)
    refuse(name, "memory of another device", "memory of the CPU");
  const Reader read = reader_of(name, data.dtype);
  const void* base = static_cast<const char*>(data.data) + data.byte_offset;
  pixels_.reserve(static_cast<size_t>(shape_[0] * shape_[1] * shape_[2] * shape_[3]));
  for (int64_t n = 0; n < shape_[0]; ++n)
    for (int64_t y = 0; y < shape_[1]; ++y)
      for (int64_t x = 0; x < shape_[2]; ++x)
        for (int64_t c = 0; c < shape_[3]; ++c)
          pixels_.push_back(
              read(base, n * strides[0] + y * strides[1] + x * strides[2] + c * strides[3]));
}

broch_dl_tensor Image::tensor() {
  return {pixels_.data(), {BROCH_DL_CPU, 0}, 4, {BROCH_DL_UINT, 8, 1}, shape_, nullptr, 0};
}

broch_dl_tensor Image::picture(int64_t k) {
  const int64_t size = shape_[1] * shape_[2] * shape_[3];
  return {pixels_.data() + k * size,
          {BROCH_DL_CPU, 0},
          3,
          {BROCH_DL_UINT, 8, 1},
          shape_ + 1,
          nullptr,
          0};
}

}  // namespace broch::summary
