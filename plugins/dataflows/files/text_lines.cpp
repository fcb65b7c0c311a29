// text_lines.cpp: memchr from line to line.
#include "files/text_lines.hpp"

#include <algorithm>
#include <cstring>

#include "archive/lines.hpp"
#include "arrays/diagnostic.hpp"

namespace files {

using arrays::quoted;
using arrays::refuse;

constexpr uint64_t kPiece = uint64_t{1} << 20;

std::vector<uint64_t> line_begins(const broch::archive::Source& text) {
  const std::string_view mark = broch::archive::kByteOrderMark;
  const bool is_marked = text.read(0, std::min<uint64_t>(text.size(), mark.size())) == mark;
  std::vector<uint64_t> begins{is_marked ? mark.size() : 0};
  std::string piece;
  for (uint64_t at = 0; at < text.size(); at += piece.size()) {
    piece = text.read(at, std::min(text.size() - at, kPiece));
    const char* const begin = piece.data();
    const char* const end = begin + piece.size();
    for (const char* from = begin; from < end;) {
      from = static_cast<const char*>(std::memchr(from, '\n', size_t(end - from)));
      if (!from) break;
      begins.push_back(at + uint64_t(++from - begin));
    }
  }
  if (begins.back() < text.size()) begins.push_back(text.size());
  return begins;
}

std::string line_at(const broch::archive::Source& text, const std::vector<uint64_t>& begins,
                    uint64_t i, uint64_t most) {
  uint64_t size = begins[i + 1] - begins[i];
  // The end of the line, of at most two bytes, may lie behind the cut.
  if (most < size) size = std::min(size, most + 2);
  std::string line = text.read(begins[i], size);
  if (begins[i] + size == begins[i + 1]) {
    if (line.ends_with('\n')) line.pop_back();
    if (line.ends_with('\r')) line.pop_back();
  }
  if (line.size() > most) line.resize(most);
  return line;
}

Vocabulary::Vocabulary(const broch::archive::Source& text) {
  const std::vector<uint64_t> begins = line_begins(text);
  for (uint64_t i = 0; i + 1 < begins.size(); ++i) {
    const std::string word = line_at(text, begins, i);
    const std::string here = text.name() + ": line " + std::to_string(i + 1);
    if (word.empty() || word.find_first_of(" \t") != word.npos)
      refuse(here, word.empty() ? "an empty line" : quoted(word), "one word per line",
             "correct the line");
    if (!words_.emplace(word, int64_t(i)).second)
      refuse(here, "the word " + quoted(word) + " once more", "each word once", "remove the line");
  }
  if (words_.empty()) refuse(text.name(), "no word", "one word per line", "name a file with words");
}

int64_t Vocabulary::find(std::string_view word) const {
  const auto at = words_.find(word);
  return at == words_.end() ? -1 : at->second;
}

}  // namespace files
