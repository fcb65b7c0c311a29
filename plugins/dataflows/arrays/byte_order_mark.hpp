// byte_order_mark.hpp: the three bytes that some editors put before a text in UTF-8.
#pragma once
#include <string_view>

namespace arrays {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

inline std::string_view without_mark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

}  // namespace arrays
