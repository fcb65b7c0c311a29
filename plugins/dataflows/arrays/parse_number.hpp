// parse_number.hpp: numbers of texts, of which those that are too small are zero.
#pragma once
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>

namespace arrays {

// As std::from_chars, which calls a number that is too small for T, and so is zero or the smallest
// one, out of range, like one that is too large.
template <class T>
std::from_chars_result parse_number(std::string_view text, T& value) {
  std::from_chars_result result = std::from_chars(text.data(), text.data() + text.size(), value);
  if constexpr (std::is_floating_point_v<T>) {
    if (result.ec != std::errc::result_out_of_range) return result;
    const double wide = std::strtod(std::string(text.data(), result.ptr).c_str(), nullptr);
    if (std::fabs(wide) >= 1) return result;
    value = T(wide);
    result.ec = std::errc();
  }
  return result;
}

}  // namespace arrays
