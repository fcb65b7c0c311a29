// csv_cells.hpp: the cells of a text file, one after the other. Part of csv.hpp.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "files/csv.hpp"

namespace files {

// Moves over the cells. It reads no byte behind the end of the text.
class CsvCells {
 public:
  CsvCells(std::string_view text, const CsvFormat& format)
      : at_(text.data()),
        end_(text.data() + text.size()),
        separator_(format.separator),
        quotes_(format.quotes) {}

  const char* at() const { return at_; }
  const char* end() const { return end_; }
  bool done() const { return at_ == end_; }

  // Whether a cell ends at this place.
  bool ends_cell(const char* at) const {
    return at == end_ || *at == separator_ || *at == '\n' ||
           (*at == '\r' && at + 1 != end_ && at[1] == '\n');
  }
  // Moves behind the end of the cell, which is at this place. True: it was the last of its line.
  bool leave(const char* at) {
    if (at != end_ && *at == '\r' && *at != separator_) ++at;
    const bool last = at == end_ || *at == '\n';
    at_ = at == end_ ? at : at + 1;
    return last;
  }

  enum class Fault { none, quote_inside, quote_open, after_quote };
  struct Cell {
    std::string_view text;  // borrowed from the file or from `store`
    bool last = false;      // whether it is the last one of its line
    Fault fault = Fault::none;
  };
  // The next cell as text; store holds one whose doubled quotes were undone.
  Cell next(std::string& store) {
    if (quotes_ && at_ != end_ && *at_ == '"') return next_quoted(store);
    const char* const begin = at_;
    const char* stop = begin;
    bool has_quote = false;
    for (; !ends_cell(stop); ++stop) has_quote |= *stop == '"';
    Cell cell{{begin, size_t(stop - begin)}};
    if (has_quote && quotes_) cell.fault = Fault::quote_inside;
    cell.last = leave(stop);
    return cell;
  }

 private:
  Cell next_quoted(std::string& store) {
    const char* const begin = at_ + 1;
    const char* stop = begin;
    bool doubled = false;
    for (; stop != end_; ++stop) {
      if (*stop != '"') continue;
      if (stop + 1 == end_ || stop[1] != '"') break;
      doubled = true;
      ++stop;
    }
    Cell cell{{begin, size_t(stop - begin)}};
    if (stop == end_) {
      cell.fault = Fault::quote_open;
      at_ = end_;
      cell.last = true;
      return cell;
    }
    if (doubled) {
      store.clear();
      for (const char* c = begin; c != stop; ++c) {
        store += *c;
        c += *c == '"';
      }
      cell.text = store;
    }
    ++stop;
    if (!ends_cell(stop)) {
      cell.fault = Fault::after_quote;
      while (!ends_cell(stop)) ++stop;
    }
    cell.last = leave(stop);
    return cell;
  }

  const char* at_;
  const char* end_;
  char separator_;
  bool quotes_;
};

}  // namespace files
