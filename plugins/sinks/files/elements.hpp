// elements.hpp: the elements of a component as bytes, and its type in words.
#pragma once
#include <broch/broch.hpp>
#include <string>
#include <vector>

namespace files {

// A point is written from memory. One element that is repeated, as in an expanded tensor, may claim
// any size.
constexpr uint64_t kMostBytes = uint64_t{1} << 34;

// Row-major and without gaps.
inline void copy_elements(const broch_dl_tensor& tensor, std::string& bytes) {
  const size_t size = tensor.dtype.bits / 8;
  const auto elements = size_t(broch::element_count(tensor.shape, size_t(tensor.ndim)));
  const char* const data = static_cast<const char*>(tensor.data) + tensor.byte_offset;
  uint64_t all = 0;
  if (__builtin_mul_overflow(uint64_t{elements}, uint64_t{size}, &all) || all > kMostBytes)
    throw broch::Error(BROCH_E_DATA_LOSS,
                       "found a component of " + std::to_string(elements) +
                           " elements, expected at most 16 GiB: split it into several points");
  bytes.resize(all);
  if (broch::is_compact(tensor)) {
    if (!bytes.empty()) std::copy_n(data, bytes.size(), bytes.data());
    return;
  }
  std::vector<int64_t> at(size_t(tensor.ndim), 0);
  for (size_t i = 0; i < elements; ++i) {
    int64_t offset = 0;
    for (size_t k = 0; k < at.size(); ++k) offset += at[k] * tensor.strides[k];
    std::copy_n(data + offset * int64_t(size), size, bytes.data() + i * size);
    for (size_t k = at.size(); k-- > 0 && ++at[k] == tensor.shape[k];) at[k] = 0;
  }
}

// "float32 (3, 4)"
inline std::string type_text(broch_dl_type type, const std::vector<int64_t>& shape) {
  std::string text = broch::dtype_name(broch::dtype_of(type)) + " (";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + ")";
}

// Its name, or its number in a point without names.
inline std::string label_of(const broch::PointReader& point, uint32_t index) {
  const char* const name = point.name(index);
  return name ? name : std::to_string(index);
}

}  // namespace files
