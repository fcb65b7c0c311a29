// csv.cpp: one pass over the bytes. Every row must have as many cells as the first line.
#include "arrays/csv.hpp"

#include <algorithm>
#include <limits>

#include "archive/lines.hpp"
#include "arrays/diagnostic.hpp"
#include "arrays/parse_number.hpp"

namespace arrays {
namespace {

bool is_nan_word(std::string_view text) {
  return text.size() == 3 && (text[0] | 0x20) == 'n' && (text[1] | 0x20) == 'a' &&
         (text[2] | 0x20) == 'n';
}

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& place)
      : bytes_(broch::archive::without_empty_end(broch::archive::without_mark(bytes))),
        place_(place) {}

  Csv read(bool header, const std::vector<Wanted>& wanted) {
    if (header && !done()) read_names();
    csv_.first_line = line_;
    if (!done()) choose(wanted);
    for (; !done(); ++csv_.rows) read_row();
    if (csv_.rows == 0)
      refuse(place_, "no line of numbers", "at least one",
             header ? "the only line was taken for the header; set header to false if it holds data"
                    : "name a file with data");
    return std::move(csv_);
  }

 private:
  struct Cell {
    std::string_view text;
    bool last;  // whether it is the last one of its line
  };

  bool done() const { return at_ >= bytes_.size(); }

  void read_names() {
    for (bool last = false; !last;) {
      const Cell cell = next_cell(csv_.names.size() + 1);
      csv_.names.emplace_back(cell.text);
      last = cell.last;
    }
    end_line(csv_.names.size());
  }

  // Counts the cells of the next line without moving past it.
  void count_columns() {
    const size_t at = at_;
    const uint64_t line = line_;
    uint64_t cells = 1;
    while (!next_cell(cells).last) ++cells;
    end_line(cells);
    at_ = at;
    line_ = line;
  }

  void choose(const std::vector<Wanted>& wanted) {
    count_columns();
    wanted_.assign(csv_.columns, wanted.empty());
    for (const Wanted& one : wanted)
      for (const uint64_t column : about(one.option, [&] { return csv_.columns_of(one, place_); }))
        wanted_[column] = true;
    for (uint64_t column = 0; column < csv_.columns; ++column)
      if (wanted_[column]) csv_.read.push_back(column);
  }

  void read_row() {
    uint64_t cells = 1;
    if (is_empty_line()) refuse(line_place(), "an empty line", "a number", "remove the line");
    for (;; ++cells) {
      const Cell cell = next_cell(cells);
      if (cells <= wanted_.size() && wanted_[cells - 1])
        csv_.values.push_back(number(cell.text, cells));
      if (cell.last) break;
    }
    end_line(cells);
  }

  void end_line(uint64_t cells) {
    if (csv_.columns == 0) csv_.columns = cells;
    if (cells != csv_.columns)
      refuse(line_place(), std::to_string(cells) + (cells == 1 ? " cell" : " cells"),
             std::to_string(csv_.columns) + " as in the first line",
             "give each line the same number of cells");
    ++line_;
  }

  bool is_empty_line() const { return bytes_[at_] == '\n' || bytes_.substr(at_, 2) == "\r\n"; }

  Cell next_cell(uint64_t column) {
    if (!done() && bytes_[at_] == '"') return quoted_cell(column);
    const size_t begin = at_;
    while (!done() && bytes_[at_] != ',' && bytes_[at_] != '\n') ++at_;
    std::string_view text = bytes_.substr(begin, at_ - begin);
    if (!done() && bytes_[at_] == '\n' && text.ends_with('\r')) text.remove_suffix(1);
    if (text.find('"') != text.npos)
      refuse(cell_place(column), quoted(text), "a quote only around a whole cell",
             "write a cell with quotes inside as \"a \"\"b\"\"\"");
    return {text, end_cell()};
  }

  // The text between the quotes. Doubled quotes stay doubled, because numbers contain none.
  Cell quoted_cell(uint64_t column) {
    const size_t begin = at_ + 1;
    const std::string place = cell_place(column);
    for (at_ = begin; !done(); ++at_) {
      if (bytes_[at_] == '\n') ++line_;
      if (bytes_[at_] != '"') continue;
      if (bytes_.substr(at_ + 1, 1) != "\"") break;
      ++at_;
    }
    if (done())
      refuse(place, "a quoted cell that never ends", "a closing quote", "close the quote");
    const std::string_view text = bytes_.substr(begin, at_ - begin);
    ++at_;
    if (bytes_.substr(at_, 2) == "\r\n") ++at_;
    if (!done() && bytes_[at_] != ',' && bytes_[at_] != '\n')
      refuse(place, quoted(bytes_.substr(at_, 1)) + " after the closing quote",
             "a comma or the end of the line", "write a quote inside a cell twice");
    return {text, end_cell()};
  }

  // Moves past the end of a cell. True at the end of the line.
  bool end_cell() {
    const bool last = done() || bytes_[at_] == '\n';
    if (!done()) ++at_;
    return last;
  }

  double number(std::string_view text, uint64_t column) const {
    if (text.empty() || is_nan_word(text)) return std::numeric_limits<double>::quiet_NaN();
    const std::string_view digits = text.substr(text[0] == '+' || text[0] == '-');
    const bool starts =
        !digits.empty() && (digits[0] == '.' || (digits[0] >= '0' && digits[0] <= '9'));
    double value = 0;
    const char* const begin = text.data() + (text[0] == '+');
    const char* const end = text.data() + text.size();
    const auto [stop, error] = parse_number({begin, size_t(end - begin)}, value);
    if (starts && error == std::errc::result_out_of_range && stop == end)
      refuse(cell_place(column), quoted(text), "a number that fits a double", "scale the column");
    if (!starts || error != std::errc() || stop != end)
      refuse(cell_place(column), quoted(text), "a number",
             line_ == 1 ? "set header to true if the first line names the columns"
                        : "correct the cell (digits with a point, without blanks or units), or "
                          "leave the column out of the option columns if it holds text");
    return value;
  }

  std::string line_place() const { return place_ + ": line " + std::to_string(line_); }
  std::string cell_place(uint64_t column) const {
    return line_place() + ", column " + std::to_string(column) + csv_.named(column - 1);
  }

  std::string_view bytes_;
  const std::string& place_;
  size_t at_ = 0;
  uint64_t line_ = 1;
  std::vector<bool> wanted_;  // indexed by column
  Csv csv_;
};

std::string listed(const std::vector<std::string>& names) {
  constexpr size_t kMost = 30;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMost); ++i)
    text += (i > 0 ? ", " : "") + quoted(names[i]);
  return text + (names.size() > kMost ? ", …" : "");
}

std::string shown(const std::vector<int64_t>& range) {
  return "[" + std::to_string(range[0]) + ", " + std::to_string(range[1]) + "]";
}

}  // namespace

std::vector<uint64_t> Csv::columns_of(const Wanted& wanted, const std::string& place) const {
  std::vector<uint64_t> found;
  for (const std::string& name : wanted.names) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end())
      refuse(place, "no column " + quoted(name), "one of " + listed(names),
             "correct the option columns");
    if (std::find(at + 1, names.end(), name) != names.end())
      refuse(place, "several columns " + quoted(name), "one of that name",
             "rename them in the file, or choose columns by index: [first, count]");
    found.push_back(uint64_t(at - names.begin()));
  }
  if (!wanted.names.empty()) return found;
  uint64_t first = 0, count = columns;
  if (wanted.range) {
    first = uint64_t((*wanted.range)[0]);
    count = uint64_t((*wanted.range)[1]);
  }
  if (first > columns || count > columns - first)
    refuse(place, std::to_string(columns) + (columns == 1 ? " column" : " columns"),
           "columns " + shown(*wanted.range) + " (first, count) among them",
           "count from 0 and correct the option columns");
  for (uint64_t i = 0; i < count; ++i) found.push_back(first + i);
  return found;
}

std::string Csv::named(uint64_t column) const {
  return column < names.size() ? " (" + quoted(names[column]) + ")" : "";
}

Csv parse_csv(std::string_view bytes, const std::string& place, bool header,
              const std::vector<Wanted>& wanted) {
  return Reader(bytes, place).read(header, wanted);
}

}  // namespace arrays
