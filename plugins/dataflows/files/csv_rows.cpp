// csv_rows.cpp: cell by cell. A number without quotes is read at once; all else takes longer.
#include "files/csv_rows.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include "../../options/trimmed.hpp"
#include "arrays/diagnostic.hpp"
#include "arrays/parse_number.hpp"

namespace files {
namespace {

using arrays::quoted;
using arrays::refuse;

class Parser {
 public:
  Parser(CsvLines& piece, const CsvLayout& layout, CsvTable& table)
      : piece_(piece), layout_(layout), table_(table) {}

  void parse() {
    CsvCells cells(piece_.text, layout_.format());
    std::string store;
    std::vector<char*> rows(layout_.components().size());
    uint64_t row = piece_.first_row;
    const uint64_t end = row + piece_.rows;
    for (; !cells.done() && row < end; ++row) {
      for (size_t i = 0; i < rows.size(); ++i)
        rows[i] = table_.components[i].values.get() + row * table_.components[i].row_bytes;
      parse_line(row, cells, rows, store);
    }
    if (cells.done() && row == end) return;
    // Some quote is wrong, so that lines were counted wrongly. Further rows go nowhere.
    std::vector<std::vector<char>> nowhere;
    for (const CsvColumns& columns : table_.components) nowhere.emplace_back(columns.row_bytes);
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = nowhere[i].data();
    while (!cells.done()) parse_line(row, cells, rows, store);
    refuse(line_place(cells.at()), "quotes that do not match", "them around whole cells",
           "write a quote inside a cell twice, or set the option quotes to false");
  }

  void parse_line(uint64_t row, CsvCells& cells, const std::vector<char*>& rows,
                  std::string& store) {
    const char* const begin = cells.at();
    if (layout_.uses().size() > 1 &&
        (*begin == '\n' || std::string_view(begin, cells.end()).starts_with("\r\n")))
      refuse(line_place(begin), "an empty line", "cells", "remove the line");
    const CsvCounts before = piece_.counts;
    bool keep = true, last = false;
    size_t column = 0;
    for (; !last; ++column) {
      if (column >= layout_.uses().size() || !layout_.uses()[column].wanted) {
        last = skip(cells, column, store);
        continue;
      }
      const CsvLayout::Use& use = layout_.uses()[column];
      char* const to = rows[use.component] + use.offset;
      switch (layout_.components()[use.component].type) {
        case CsvType::float32:
          last = number<float>(use, column, cells, to, keep, store);
          break;
        case CsvType::float64:
          last = number<double>(use, column, cells, to, keep, store);
          break;
        case CsvType::int64:
          last = number<int64_t>(use, column, cells, to, keep, store);
          break;
        case CsvType::category:
          last = category(use, column, cells, to, keep, store);
      }
    }
    if (column != layout_.uses().size())
      refuse(line_place(begin), std::to_string(column) + (column == 1 ? " cell" : " cells"),
             std::to_string(layout_.uses().size()) + " as in the first line",
             "give each line the same number of cells");
    if (keep) return;
    piece_.dropped.push_back(row);
    piece_.counts = before;
  }

  bool skip(CsvCells& cells, size_t column, std::string& store) {
    const char* const begin = cells.at();
    const CsvCells::Cell cell = cells.next(store);
    if (cell.fault != CsvCells::Fault::none) layout_.check(cell, line_of(begin), column);
    return cell.last;
  }

  template <class T>
  static void put(char* to, T value) {
    std::memcpy(to, &value, sizeof value);
  }

  // The usual cell is a number without quotes, which ends where from_chars stops.
  template <class T>
  bool number(const CsvLayout::Use& use, size_t column, CsvCells& cells, char* to, bool& keep,
              std::string& store) {
    T value{};
    const auto [stop, error] = std::from_chars(cells.at(), cells.end(), value);
    if (error == std::errc() && cells.ends_cell(stop) && is_finite(value) &&
        !(layout_.has_missing_number() && is_missing(std::string_view(cells.at(), stop)))) {
      put(to, value);
      return cells.leave(stop);
    }
    const char* const begin = cells.at();
    const CsvCells::Cell cell = cells.next(store);
    if (cell.fault != CsvCells::Fault::none) layout_.check(cell, line_of(begin), column);
    if (lacks_value(cell.text)) {
      const CsvComponent& component = layout_.components()[use.component];
      keep &= !miss(begin, column, component);
      put(to, component.missing == CsvMissing::fill ? T(component.fill) : T{});
    } else {
      put(to, careful<T>(cell.text, begin, column));
    }
    return cell.last;
  }

  template <class T>
  static bool is_finite(T value) {
    if constexpr (std::is_floating_point_v<T>)
      return std::isfinite(value);
    else
      return true;
  }

  // A number in quotes, with a plus or blanks around it, one that is too small or too large, or a
  // whole one that is written as 3.0.
  template <class T>
  T careful(std::string_view text, const char* begin, size_t column) const {
    std::string_view word = broch::trimmed(text, " ");
    if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
    T value{};
    const auto [stop, error] = arrays::parse_number(word, value);
    const bool whole = stop == word.data() + word.size() && !word.empty();
    if (whole && error == std::errc() && is_finite(value)) return value;
    constexpr bool integer = std::is_integral_v<T>;
    if constexpr (integer)
      if (const auto written = written_as_float(word)) return *written;
    refuse(cell_place(begin, column), quoted(text),
           integer ? "a whole number that fits 64 bits" : "a finite number",
           "correct the cell, add the word to missing_words, choose another dtype, or leave the "
           "column out");
  }

  // A whole number as "3.0" or "3e0", which programs write that take all numbers for floating-point
  // ones. Above 2^53, a double may already differ from the number in the file.
  static std::optional<int64_t> written_as_float(std::string_view word) {
    double value = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool is_whole = stop == word.data() + word.size() && !word.empty() &&
                          error == std::errc() && std::fabs(value) <= 0x1p53 &&
                          value == std::trunc(value);
    return is_whole ? std::optional(int64_t(value)) : std::nullopt;
  }

  bool category(const CsvLayout::Use& use, size_t column, CsvCells& cells, char* to, bool& keep,
                std::string& store) {
    const char* const begin = cells.at();
    const CsvCells::Cell cell = cells.next(store);
    if (cell.fault != CsvCells::Fault::none) layout_.check(cell, line_of(begin), column);
    const CsvComponent& component = layout_.components()[use.component];
    const CsvCodes& fixed = layout_.listed(use.component);
    if (const auto at = fixed.find(cell.text); at != fixed.end()) {
      put(to, at->second);
    } else if (lacks_value(cell.text)) {
      keep &= !miss(begin, column, component);
      const bool fills = component.missing == CsvMissing::fill;
      put(to, !fills ? int64_t{0} : component.categories ? int64_t(component.fill) : kCsvFilled);
    } else if (component.unknown) {
      ++piece_.counts.unknown;
      put(to, *component.unknown);
    } else if (component.categories) {
      refuse(cell_place(begin, column), quoted(cell.text),
             "one of the " + std::to_string(fixed.size()) + " words of " + component.option +
                 "/categories",
             "add the word to the list or to missing_words, set unknown to a number for such "
             "words, or correct the cell");
    } else {
      CsvCodes& codes = piece_.codes[use.component];
      auto found = codes.find(cell.text);
      if (found == codes.end())
        found = codes.emplace(std::string(cell.text), int64_t(codes.size())).first;
      put(to, found->second);
    }
    return cell.last;
  }

  bool is_missing(std::string_view text) const {
    return std::find(layout_.format().missing_words.begin(), layout_.format().missing_words.end(),
                     text) != layout_.format().missing_words.end();
  }
  bool lacks_value(std::string_view text) const {
    const std::string_view word = broch::trimmed(text, " ");
    return is_missing(text) || (word.size() < text.size() && is_missing(word));
  }
  // True: the row is dropped.
  bool miss(const char* begin, size_t column, const CsvComponent& component) {
    if (component.missing == CsvMissing::refuse)
      refuse(cell_place(begin, column), "no value", "one",
             "fill it in, or set missing of " + component.option + " to \"drop\" or \"fill\"");
    piece_.counts.filled += component.missing == CsvMissing::fill;
    return component.missing == CsvMissing::drop;
  }

  uint64_t line_of(const char* at) const {
    return piece_.first_line + uint64_t(std::count(piece_.text.data(), at, '\n'));
  }
  std::string line_place(const char* at) const { return layout_.place_of(line_of(at)); }
  std::string cell_place(const char* at, size_t column) const {
    return layout_.place_of(line_of(at), column);
  }

  CsvLines& piece_;
  const CsvLayout& layout_;
  CsvTable& table_;
};

}  // namespace

void parse_lines(CsvLines& piece, const CsvLayout& layout, CsvTable& table) {
  Parser(piece, layout, table).parse();
}

}  // namespace files
