// text_list.hpp: several texts, such as the cursors of children, in one saved state.
//
// Each text is written as its length, ":" and its bytes.
#pragma once
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace broch::saved {

inline void add_text(std::string& packed, std::string_view text) {
  packed += std::to_string(text.size());
  packed += ':';
  packed += text;
}

inline std::string pack(const std::vector<std::string>& texts) {
  std::string packed;
  for (const std::string& text : texts) add_text(packed, text);
  return packed;
}

// No value: these are not texts that pack has packed.
inline std::optional<std::vector<std::string>> unpack(std::string_view packed) {
  std::vector<std::string> texts;
  const char *at = packed.data(), *const end = at + packed.size();
  while (at != end) {
    uint64_t size = 0;
    const auto [stop, error] = std::from_chars(at, end, size);
    if (error != std::errc() || stop == end || *stop != ':' || size > uint64_t(end - stop - 1))
      return std::nullopt;
    texts.emplace_back(stop + 1, size);
    at = stop + 1 + size;
  }
  return texts;
}

}  // namespace broch::saved
