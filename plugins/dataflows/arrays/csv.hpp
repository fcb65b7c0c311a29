// csv.hpp: a text file of numbers as in RFC 4180: commas, quotes, lines that end in LF or CRLF.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace arrays {

// The columns that a component uses, by range or by names; neither: all.
struct Wanted {
  std::optional<std::vector<int64_t>> range;  // {first, count}, counted from 0
  std::vector<std::string> names;             // names in the header
  std::string option{};                       // JSON pointer of the option, for messages
};

struct Csv {
  uint64_t rows = 0;
  uint64_t columns = 0;            // of every line
  uint64_t first_line = 1;         // line of row 0; each row is one line
  std::vector<std::string> names;  // indexed by column; empty without a header
  std::vector<uint64_t> read;      // columns that are read, ascending
  std::vector<double> values;      // of these columns, row-major; NaN for an empty cell and "nan"

  // The columns that wanted describes, in its order. Throws Error if the file does not have them.
  std::vector<uint64_t> columns_of(const Wanted& wanted, const std::string& place) const;
  // The name of a column for messages: " ('species')", or "" without a header.
  std::string named(uint64_t column) const;
};

// bytes: the whole file. place: its name in messages. header: whether the first line contains names
// of columns. wanted: the columns that all components of this file use; cells of other columns may
// contain anything. Empty: all columns. Throws Error with line and column.
Csv parse_csv(std::string_view bytes, const std::string& place, bool header,
              const std::vector<Wanted>& wanted = {});

}  // namespace arrays
