// text_lines.hpp: where the lines of a text begin, and words as numbers.
#pragma once
#include <algorithm>
#include <archive/source.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace files {

// The begin of each line, and the end of the text. A last line without an end counts. A byte
// order mark is no part of the first line.
std::vector<uint64_t> line_begins(const broch::archive::Source& text);
// A line without its end, LF or CRLF. most: cut after so many bytes.
std::string line_at(const broch::archive::Source& text, const std::vector<uint64_t>& begins,
                    uint64_t i, uint64_t most = UINT64_MAX);

class Vocabulary {
 public:
  // text: one word per line; the number of a word is its line, counted from 0. Throws Error if a
  // word is empty, has blanks in it or comes twice.
  explicit Vocabulary(const broch::archive::Source& text);

  uint64_t size() const { return words_.size(); }
  // -1: not in the list.
  int64_t find(std::string_view word) const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, int64_t, Hash, std::equal_to<>> words_;
};

// Calls each with every word of a line: what stands between blanks.
template <class Each>
void for_each_word(std::string_view line, Each each) {
  static constexpr std::string_view kBlanks = " \t";
  for (size_t begin = line.find_first_not_of(kBlanks); begin != line.npos;) {
    const size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    each(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlanks, end);
  }
}

}  // namespace files
