// csv.hpp: a text file of numbers, RFC 4180: commas, quotes, lines that end in LF or CRLF.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace arrays {

// The columns that a component asks for; neither: all.
struct Wanted {
  std::optional<std::vector<int64_t>> range;  // {first, count}, counted from 0
  std::vector<std::string> names;             // in the header
  std::string option{};                       // its pointer, for messages
};

struct Csv {
  uint64_t rows = 0;
  uint64_t columns = 0;            // of a line
  uint64_t first_line = 1;         // of row 0; each further row is one line
  std::vector<std::string> names;  // by column; empty without a header
  std::vector<uint64_t> read;      // columns that somebody wants, ascending
  std::vector<double> values;      // row-major, of those; NaN for an empty cell and for "nan"

  // The columns of the file that are wanted, in their order.
  std::vector<uint64_t> columns_of(const Wanted& wanted, const std::string& place) const;
  // " ('species')", or "" without a header.
  std::string named(uint64_t column) const;
};

// bytes is the whole file, place how messages name it. header: the first line names the columns.
// wanted: of all that use the file; cells that nobody wants may hold anything. Empty: all columns.
Csv parse_csv(std::string_view bytes, const std::string& place, bool header,
              const std::vector<Wanted>& wanted = {});

}  // namespace arrays
