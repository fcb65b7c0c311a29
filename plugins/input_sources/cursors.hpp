// cursors.hpp: the cursors of several sources as one: each as "LENGTH:BYTES".
#pragma once
#include <broch/broch.hpp>
#include <charconv>
#include <string>
#include <vector>

namespace broch::inputs {

inline std::string joined(const std::vector<std::string>& cursors) {
  std::string text;
  for (const std::string& cursor : cursors) text += std::to_string(cursor.size()) + ":" + cursor;
  return text;
}

// Throws Error if text is not that of n cursors.
inline std::vector<std::string> split(const std::string& text, size_t n) {
  std::vector<std::string> cursors;
  size_t at = 0;
  while (at < text.size()) {
    size_t length = 0;
    const char* const end = text.data() + text.size();
    const auto [colon, problem] = std::from_chars(text.data() + at, end, length);
    const size_t begin = size_t(colon - text.data()) + 1;
    if (problem != std::errc() || colon == end || *colon != ':' || length > text.size() - begin)
      break;
    cursors.push_back(text.substr(begin, length));
    at = begin + length;
  }
  if (at != text.size() || cursors.size() != n)
    throw Error(BROCH_E_DATA_LOSS,
                "found a cursor of " + std::to_string(text.size()) + " bytes that " +
                    (at == text.size() ? "has " + std::to_string(cursors.size()) + " parts"
                                       : "is no list from byte " + std::to_string(at) + " on") +
                    ", expected the cursors of " + std::to_string(n) +
                    " sources; have the sources changed since the run was saved?");
  return cursors;
}

}  // namespace broch::inputs
