// lines.hpp: texts without what editors add to them.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace broch::archive {

// The three bytes that some editors put before a text in UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

inline std::string_view without_mark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

// Without empty lines at the end, which some programs leave there.
inline std::string_view without_empty_end(std::string_view text) {
  for (;;)
    if (text.ends_with("\n\n") || text == "\n")
      text.remove_suffix(1);
    else if (text.ends_with("\n\r\n") || text == "\r\n")
      text.remove_suffix(2);
    else
      return text;
}

// Without the mark and the ends of the lines, "\n" or "\r\n". The last line may lack its end.
inline std::vector<std::string> lines_in(std::string_view text) {
  std::vector<std::string> lines;
  for (text = without_mark(text); !text.empty();) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace broch::archive
