// cursor_list.hpp: a list of texts, such as the cursors of children, as a cursor.
#pragma once
#include <broch/broch.hpp>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "../../options/text_list.hpp"

namespace broch::dataflows {

// dataflow: whose cursor it should be. form: what it looks like; "": a list that pack has made.
[[noreturn]] inline void refuse_cursor(const std::string& cursor, const std::string& dataflow,
                                       const std::string& form = "") {
  constexpr size_t kShown = 60;
  const std::string shown = cursor.size() > kShown ? cursor.substr(0, kShown) + "…" : cursor;
  throw Error(BROCH_E_DATA_LOSS, "'" + shown + "' is not a cursor of " + dataflow +
                                     (form.empty() ? "" : ", expected " + form) +
                                     "; has the dataflow changed since the run was saved?");
}

inline uint64_t number_in(const std::string& text, const char* dataflow) {
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) refuse_cursor(text, dataflow);
  return number;
}

using saved::pack;

// count: how many texts there must be. dataflow: whose cursor it is, for the message.
inline std::vector<std::string> unpack(const std::string& packed, size_t count,
                                       const char* dataflow) {
  std::optional<std::vector<std::string>> texts = saved::unpack(packed);
  if (!texts || texts->size() != count) refuse_cursor(packed, dataflow);
  return *std::move(texts);
}

}  // namespace broch::dataflows
