// cursor_list.hpp: several texts, such as the cursors of children, in one cursor.
//
// Each text is written as its length, ":" and its bytes.
#pragma once
#include <broch/broch.hpp>
#include <charconv>
#include <string>
#include <vector>

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

inline std::string pack(const std::vector<std::string>& texts) {
  std::string packed;
  for (const std::string& text : texts) packed += std::to_string(text.size()) + ":" + text;
  return packed;
}

// count: how many texts there must be. dataflow: whose cursor it is, for the message.
inline std::vector<std::string> unpack(const std::string& packed, size_t count,
                                       const char* dataflow) {
  std::vector<std::string> texts;
  const char *at = packed.data(), *const end = at + packed.size();
  while (at != end) {
    uint64_t size = 0;
    const auto [stop, error] = std::from_chars(at, end, size);
    if (error != std::errc() || stop == end || *stop != ':' || size > uint64_t(end - stop - 1))
      refuse_cursor(packed, dataflow);
    texts.emplace_back(stop + 1, size);
    at = stop + 1 + size;
  }
  if (texts.size() != count) refuse_cursor(packed, dataflow);
  return texts;
}

}  // namespace broch::dataflows
