// svmlight.cpp: one pass over the text. Source of the format: Joachims, svmlight.joachims.org.
#include "files/svmlight.hpp"

#include <algorithm>
#include <cmath>

#include "archive/lines.hpp"
#include "arrays/diagnostic.hpp"
#include "arrays/parse_number.hpp"

namespace files {
namespace {

using arrays::quoted;
using arrays::refuse;

class Line {
 public:
  Line(std::string_view text, uint64_t number, const std::string& place)
      : text_(text), number_(number), place_(place) {}

  // The next word; empty at the end.
  std::string_view word() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    begin_ = at_;
    while (at_ < text_.size() && !is_blank(text_[at_])) ++at_;
    return text_.substr(begin_, at_ - begin_);
  }

  template <class T>
  T number(std::string_view word, const char* expected) const {
    if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
    T value{};
    const auto [stop, error] = arrays::parse_number(word, value);
    if (word.empty() || error != std::errc() || stop != word.data() + word.size()) fail(expected);
    if constexpr (std::is_floating_point_v<T>)
      if (!std::isfinite(value)) fail(expected);
    return value;
  }

  [[noreturn]] void fail(const std::string& expected) const {
    const std::string_view rest = text_.substr(begin_, at_ - begin_);
    refuse(place_ + ": line " + std::to_string(number_) + ", column " + std::to_string(begin_ + 1),
           rest.empty() ? "the end of the line" : quoted(rest), expected,
           "write lines such as \"1 3:0.5 7:1\"");
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  std::string_view text_;
  uint64_t number_;
  const std::string& place_;
  size_t at_ = 0, begin_ = 0;
};

void parse_line(Line& line, std::string_view label, uint64_t first_index, SparseRows& rows) {
  rows.labels.push_back(line.number<double>(label, "a label"));
  const size_t begin = rows.indices.size();
  for (std::string_view word = line.word(); !word.empty(); word = line.word()) {
    const size_t colon = word.find(':');
    if (colon == word.npos) line.fail("INDEX:VALUE");
    if (word.substr(0, colon) == "qid") continue;
    const uint64_t index =
        line.number<uint64_t>(word.substr(0, colon), "an index before the colon");
    if (index < first_index || index - first_index > UINT32_MAX - 1)
      line.fail("an index from " + std::to_string(first_index) +
                " on, or the option first_index set to 0");
    const uint32_t feature = uint32_t(index - first_index);
    if (rows.indices.size() > begin && rows.indices.back() >= feature)
      line.fail("an index that is larger than the one before");
    rows.indices.push_back(feature);
    rows.values.push_back(line.number<float>(word.substr(colon + 1), "a value after the colon"));
    rows.features = std::max<uint64_t>(rows.features, uint64_t{feature} + 1);
  }
  rows.begins.push_back(rows.indices.size());
}

}  // namespace

SparseRows parse_svmlight(std::string_view text, uint64_t first_index, const std::string& place) {
  SparseRows rows;
  rows.begins.push_back(0);
  text = broch::archive::without_mark(text);
  for (uint64_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view whole = text.substr(0, end);
    Line line(whole.substr(0, whole.find('#')), number, place);
    const std::string_view label = line.word();
    if (!label.empty()) parse_line(line, label, first_index, rows);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (rows.rows() == 0)
    refuse(place, "no row", "at least one", "name a file with lines \"LABEL INDEX:VALUE …\"");
  return rows;
}

}  // namespace files
