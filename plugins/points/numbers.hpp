// numbers.hpp: elements of tensors whose dtype is known only at run time.
#pragma once
#include <algorithm>
#include <broch/broch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

namespace broch::points {

// Calls body(T{}) with the C++ type of a dtype. what: of which component, for the message.
template <class Body>
decltype(auto) with_type(broch_dtype dtype, const std::string& what, Body&& body) {
  switch (dtype) {
    case BROCH_FLOAT32:
      return body(float{});
    case BROCH_FLOAT64:
      return body(double{});
    case BROCH_INT8:
      return body(int8_t{});
    case BROCH_INT16:
      return body(int16_t{});
    case BROCH_INT32:
      return body(int32_t{});
    case BROCH_INT64:
      return body(int64_t{});
    case BROCH_UINT8:
      return body(uint8_t{});
    case BROCH_BOOL:
      return body(bool{});
    default:
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  what + ": found " + dtype_name(dtype) +
                      ", expected float32, float64, int8 to int64, uint8 or bool");
  }
}

inline std::string shape_text(const int64_t* shape, int32_t rank) {
  std::string text = "[";
  for (int32_t i = 0; i < rank; ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}
inline std::string shape_text(const broch_dl_tensor& tensor) {
  return shape_text(tensor.shape, tensor.ndim);
}

inline size_t element_bytes(const broch_dl_tensor& tensor) { return tensor.dtype.bits / 8u; }
inline size_t element_count(const broch_dl_tensor& tensor) {
  return size_t(broch::element_count(tensor.shape, size_t(tensor.ndim)));
}
// The elements of a compact tensor in memory of the CPU.
inline const char* bytes_of(const broch_dl_tensor& tensor, const std::string& what) {
  if (tensor.device.device_type != BROCH_DL_CPU || !is_compact(tensor))
    throw Error(BROCH_E_INVALID_ARGUMENT, what + " is not in compact memory of the CPU");
  return static_cast<const char*>(tensor.data) + tensor.byte_offset;
}

// The nearest value of an integer type, halves to even; a floating type rounds by itself. Values
// beyond the range of an integer type become its limit, and NaN becomes 0. bool: whether it is not
// 0.
template <class To>
To converted(double value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<To>) {
    if (std::isnan(value)) return 0;
    const double whole = std::nearbyint(value);
    // 2^63 is a double, 2^63 - 1 is none: so the comparison is with the limit's double.
    if (whole >= double(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    if (whole <= double(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    return To(whole);
  } else {
    return To(value);
  }
}

// Element index of a tensor, as a double.
inline double number_at(const broch_dl_tensor& tensor, size_t index, const std::string& what) {
  const char* const bytes = bytes_of(tensor, what);
  return with_type(dtype_of(tensor.dtype), what, [&](auto one) {
    decltype(one) value;
    std::memcpy(&value, bytes + index * sizeof value, sizeof value);
    return double(value);
  });
}

// The only element of a tensor.
inline double only_number(const broch_dl_tensor& tensor, const std::string& what) {
  if (element_count(tensor) != 1)
    throw Error(BROCH_E_INVALID_ARGUMENT,
                what + ": found shape " + shape_text(tensor) + ", expected one number");
  return number_at(tensor, 0, what);
}

// Sets n elements to a value.
inline void fill(void* to, broch_dtype dtype, size_t n, double value, const std::string& what) {
  with_type(dtype, what, [&](auto one) {
    auto* const elements = static_cast<decltype(one)*>(to);
    std::fill(elements, elements + n, converted<decltype(one)>(value));
  });
}

}  // namespace broch::points
