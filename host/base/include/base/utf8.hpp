// utf8.hpp: the characters of a text in UTF-8.
#pragma once
#include <algorithm>
#include <string_view>

namespace broch::base {

// What some editors write before the first character.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Whether a character begins with this byte. The other bytes of a character continue it.
constexpr bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

inline size_t characters_in(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, starts_character));
}

// The index of the first byte of character n, counted from 0; the size of a text that has fewer.
inline size_t index_of_character(std::string_view text, size_t n) {
  size_t at = 0;
  for (; at < text.size(); ++at)
    if (starts_character(text[at]) && n-- == 0) break;
  return at;
}

// The beginning of the text: whole characters, and at most this many bytes.
inline std::string_view cut_to_bytes(std::string_view text, size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && !starts_character(text[most])) --most;
  return text.substr(0, most);
}

}  // namespace broch::base
