// json_number.cpp: exact where the type is, rounded once where it is not.
#include "json_number.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "json_text.hpp"
#include "runtime/element.hpp"

namespace broch::serve {
namespace {

// The whole text as a number. False if it is none or out of range; then value is unchanged.
template <class T>
bool read_number(std::string_view text, T& value) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  return read.ec == std::errc() && read.ptr == end;
}

// Infinite if it is too large, and rounded to 0 if it is too small.
double double_of(std::string_view text) {
  double value = 0;
  return read_number(text, value) ? value : std::strtod(std::string(text).c_str(), nullptr);
}

template <class T>
bool put(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
  return true;
}

// False if the text is no integer of that type.
bool put_integer(broch_dtype dtype, std::byte* to, std::string_view text) {
  int64_t value = 0;
  if (!read_number(text, value)) return false;
  const auto put_as = [&]<class T>(T) {
    return std::in_range<T>(value) && put(to, static_cast<T>(value));
  };
  switch (dtype) {
    case BROCH_BOOL:
      return (value == 0 || value == 1) && put(to, uint8_t(value));
    case BROCH_UINT8:
      return put_as(uint8_t());
    case BROCH_INT8:
      return put_as(int8_t());
    case BROCH_INT16:
      return put_as(int16_t());
    case BROCH_INT32:
      return put_as(int32_t());
    case BROCH_INT64:
      return put(to, value);
    default:
      return false;
  }
}

// False if the number becomes infinite.
bool put_floating(broch_dtype dtype, std::byte* to, std::string_view text) {
  const double value = double_of(text);
  if (dtype == BROCH_FLOAT64) return std::isfinite(value) && put(to, value);
  if (dtype == BROCH_FLOAT32) {
    const auto rounded = static_cast<float>(value);
    return std::isfinite(rounded) && put(to, rounded);
  }
  runtime::encode_element(dtype, value, to);
  return std::isfinite(runtime::decode_element(dtype, to));
}

}  // namespace

nlohmann::json number_of(std::string_view text) {
  if (uint64_t value = 0; read_number(text, value)) return value;
  if (int64_t value = 0; read_number(text, value)) return value;
  if (const double value = double_of(text); std::isfinite(value)) return value;
  refuse_json("the number " + shortened(text), "one that float64 can hold");
}

bool put_number(broch_dtype dtype, std::byte* to, std::string_view text) {
  return runtime::is_floating(dtype) ? put_floating(dtype, to, text) : put_integer(dtype, to, text);
}

bool put_flag(broch_dtype dtype, std::byte* to, bool value) {
  return dtype == BROCH_BOOL && put<uint8_t>(to, value);
}

}  // namespace broch::serve
