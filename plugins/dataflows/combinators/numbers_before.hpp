// numbers_before.hpp: cursors that begin with numbers, such as "ROUND:COUNT:" and another cursor.
#pragma once
#include <charconv>
#include <initializer_list>
#include <optional>
#include <string>

namespace broch::dataflows {

// Reads the numbers, each with the ':' behind it, and returns what follows them. No value: the
// cursor begins with something else.
template <class Number>
std::optional<std::string> after_numbers(const std::string& cursor,
                                         std::initializer_list<Number*> numbers) {
  const char *at = cursor.data(), *const end = at + cursor.size();
  for (Number* const number : numbers) {
    const auto [stop, error] = std::from_chars(at, end, *number);
    if (error != std::errc() || stop == end || *stop != ':') return std::nullopt;
    at = stop + 1;
  }
  return std::string(at, end);
}

}  // namespace broch::dataflows
