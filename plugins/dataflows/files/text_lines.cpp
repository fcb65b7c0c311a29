// text_lines.cpp: memchr from line to line.
#include "files/text_lines.hpp"

#include <algorithm>
#include <cstring>

#include "arrays/diagnostic.hpp"

namespace files {

using arrays::quoted;
using arrays::refuse;

std::vector<uint64_t> line_begins(std::string_view text) {
  std::vector<uint64_t> begins{0};
  while (begins.back() < text.size()) {
    const char* const from = text.data() + begins.back();
    const void* const end = std::memchr(from, '\n', text.size() - begins.back());
    begins.push_back(end ? uint64_t(static_cast<const char*>(end) - text.data()) + 1 : text.size());
  }
  return begins;
}

std::string_view line_at(std::string_view text, const std::vector<uint64_t>& begins, uint64_t i) {
  std::string_view line = text.substr(begins[i], begins[i + 1] - begins[i]);
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

Vocabulary::Vocabulary(std::string_view text, const std::string& place) {
  const std::vector<uint64_t> begins = line_begins(text);
  for (uint64_t i = 0; i + 1 < begins.size(); ++i) {
    const std::string_view word = line_at(text, begins, i);
    const std::string here = place + ": line " + std::to_string(i + 1);
    if (word.empty() || word.find_first_of(" \t") != word.npos)
      refuse(here, word.empty() ? "an empty line" : quoted(word), "one word per line",
             "correct the line");
    if (!words_.emplace(word, int64_t(i)).second)
      refuse(here, "the word " + quoted(word) + " once more", "each word once", "remove the line");
  }
  if (words_.empty()) refuse(place, "no word", "one word per line", "name a file with words");
}

int64_t Vocabulary::find(std::string_view word) const {
  const auto at = words_.find(word);
  return at == words_.end() ? -1 : at->second;
}

}  // namespace files
