// csv.cpp: threads parse pieces of the file; then categories are numbered and rows dropped.
#include "files/csv.hpp"

#include <algorithm>
#include <cstring>

#include "archive/lines.hpp"
#include "arrays/diagnostic.hpp"
#include "files/csv_rows.hpp"

namespace files {
namespace {

using arrays::refuse;

class Reader {
 public:
  Reader(const std::string& place, const CsvLayout& layout) : place_(place), layout_(layout) {}

  CsvTable read(std::string_view text) {
    if (text.empty())
      refuse(place_, "no line of data", "at least one",
             layout_.format().header ? "set header to false if the first line holds data"
                                     : "name a file with data");
    const CsvFormat& format = layout_.format();
    for (const CsvPiece& lines :
         cut_csv(text, layout_.first_line(), format.quotes, format.threads)) {
      pieces_.push_back({lines, std::vector<CsvCodes>(layout_.components().size())});
      table_.rows += lines.rows;
    }
    allocate();
    run_threads(format.threads, pieces_.size(), [&](size_t i) {
      try {
        parse_lines(pieces_[i], layout_, table_);
      } catch (...) {
        pieces_[i].failure = std::current_exception();
      }
    });
    // The first failure in the order of the file, whichever thread came first.
    for (const CsvLines& piece : pieces_)
      if (piece.failure) std::rethrow_exception(piece.failure);
    number_categories();
    drop_rows();
    add_counts();
    return std::move(table_);
  }

 private:
  void allocate() {
    for (size_t i = 0; i < layout_.components().size(); ++i) {
      CsvColumns& component = table_.components.emplace_back();
      component.columns = layout_.width(i);
      component.row_bytes = component.columns * size_of(layout_.components()[i].type);
      uint64_t size = 0;
      if (__builtin_mul_overflow(component.row_bytes, table_.rows, &size))
        refuse(place_, std::to_string(table_.rows) + " rows", "as many as memory holds",
               "choose fewer columns");
      component.values.reset(new char[size]);  // not initialized: each thread fills its part
    }
  }

  // Replaces the numbers that each piece gave to its words by places in the sorted list of all.
  void number_categories() {
    for (size_t i = 0; i < layout_.components().size(); ++i) {
      if (layout_.components()[i].type != CsvType::category) continue;
      CsvColumns& columns = table_.components[i];
      if (layout_.components()[i].categories) {
        columns.categories = *layout_.components()[i].categories;  // numbered by the threads
        continue;
      }
      for (const CsvLines& piece : pieces_)
        for (const auto& [word, code] : piece.codes[i]) columns.categories.push_back(word);
      std::sort(columns.categories.begin(), columns.categories.end());
      columns.categories.erase(std::unique(columns.categories.begin(), columns.categories.end()),
                               columns.categories.end());
      run_threads(layout_.format().threads, pieces_.size(),
                  [&](size_t p) { renumber(pieces_[p], i); });
    }
  }

  void renumber(const CsvLines& piece, size_t component) {
    CsvColumns& columns = table_.components[component];
    std::vector<int64_t> places(piece.codes[component].size());
    for (const auto& [word, code] : piece.codes[component])
      places[size_t(code)] =
          std::lower_bound(columns.categories.begin(), columns.categories.end(), word) -
          columns.categories.begin();
    char* at = columns.values.get() + piece.first_row * columns.row_bytes;
    for (uint64_t n = piece.rows * columns.columns; n > 0; --n, at += sizeof(int64_t)) {
      int64_t code;
      std::memcpy(&code, at, sizeof code);
      if (code == kCsvFilled)
        put(at, int64_t(layout_.components()[component].fill));
      else if (!places.empty())
        put(at, places[size_t(code)]);
    }
  }

  void drop_rows() {
    uint64_t kept = 0, from = 0;
    const auto keep_until = [&](uint64_t end) {
      for (CsvColumns& columns : table_.components)
        if (kept != from)
          std::memmove(columns.values.get() + kept * columns.row_bytes,
                       columns.values.get() + from * columns.row_bytes,
                       (end - from) * columns.row_bytes);
      kept += end - from;
      from = end + 1;
    };
    for (const CsvLines& piece : pieces_)
      for (const uint64_t row : piece.dropped) keep_until(row);
    keep_until(table_.rows);
    if (kept == 0)
      refuse(place_, "a cell without a value in each of " + std::to_string(table_.rows) + " rows",
             "a row that is complete", "set missing to \"fill\" for the column that has none");
    table_.dropped = table_.rows - kept;
    table_.rows = kept;
  }

  void add_counts() {
    for (const CsvLines& piece : pieces_) {
      table_.counts.filled += piece.counts.filled;
      table_.counts.unknown += piece.counts.unknown;
    }
  }

  template <class T>
  static void put(char* to, T value) {
    std::memcpy(to, &value, sizeof value);
  }

  const std::string& place_;
  const CsvLayout& layout_;
  std::vector<CsvLines> pieces_;
  CsvTable table_;
};

}  // namespace

CsvTable read_csv(std::string_view bytes, const std::string& place, const CsvFormat& format,
                  const std::vector<CsvComponent>& components) {
  bytes = broch::archive::without_mark(bytes);
  const CsvLayout layout(bytes, place, format, components);
  std::string_view rows = bytes.substr(layout.header_bytes());
  // In a table of one column, an empty line is a cell without a value.
  if (layout.uses().size() > 1) rows = broch::archive::without_empty_end(rows);
  return Reader(place, layout).read(rows);
}

}  // namespace files
