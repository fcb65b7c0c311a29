// saved_state.hpp: refuses a saved state that does not fit the component that is resumed.
#pragma once
#include <broch/broch.hpp>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace broch::saved {

[[noreturn]] inline void refuse(const std::string& found, const std::string& expected) {
  throw Error(BROCH_E_DATA_LOSS, "the saved state: found " + found + ", expected " + expected +
                                     ": resume with the options with which the run was saved, or "
                                     "give the entry another name, with which it starts afresh");
}

// A text between quotes, without most of a long one.
inline std::string quoted(std::string_view text) {
  constexpr size_t kShown = 60;
  return "'" + std::string(text.substr(0, kShown)) + (text.size() > kShown ? "…'" : "'");
}

// The number that is the whole text. No value: there is none.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace broch::saved
