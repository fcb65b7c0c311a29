// csv.hpp: a large text file of columns, read by several threads into arrays of their final type.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace files {

enum class CsvType { float32, float64, int64, category };
enum class CsvMissing { refuse, drop, fill };

// Some columns of the file as one component of the data points.
struct CsvComponent {
  std::vector<std::string> columns;  // names; empty: all columns
  CsvType type = CsvType::float32;
  // The words of a category, which gets the number of its place; none: all that occur, sorted.
  std::optional<std::vector<std::string>> categories{};
  // With categories: the number of all other words; none: they are refused.
  std::optional<int64_t> unknown{};
  CsvMissing missing = CsvMissing::refuse;  // what to do with a cell without a value
  double fill = 0;                          // in its place; NaN is a value, too
  std::string option{};                     // JSON pointer, for messages
};

struct CsvFormat {
  char separator = ',';
  bool quotes = true;  // whether cells may be in quotes; otherwise they are characters like others
  bool header = true;  // whether the first line names the columns; otherwise they are "0", "1", …
  std::vector<std::string> missing_words{"", "NA", "NaN", "nan", "null"};
  unsigned threads = 0;  // 0: one per processor
};

struct CsvColumns {
  uint64_t columns = 0, row_bytes = 0;
  std::unique_ptr<char[]> values;  // of all rows, row-major
  std::vector<std::string> categories;
};

// Cells that hold something else than the file.
struct CsvCounts {
  uint64_t filled = 0, unknown = 0;
};

struct CsvTable {
  uint64_t rows = 0, dropped = 0;
  CsvCounts counts;  // in the rows that are there
  std::vector<CsvColumns> components;
};

inline uint64_t size_of(CsvType type) { return type == CsvType::float32 ? 4 : 8; }

// bytes: the whole file, as RFC 4180 describes it, with any separator, or without the meaning of
// quotes; lines end in LF or CRLF.
// place: its name in messages. Numbers are rounded correctly. The result does not depend on the
// number of threads. Throws Error with line and column.
CsvTable read_csv(std::string_view bytes, const std::string& place, const CsvFormat& format,
                  const std::vector<CsvComponent>& components);

}  // namespace files
