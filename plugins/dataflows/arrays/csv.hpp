// csv.hpp: a text file of numbers, RFC 4180: commas, quotes, lines that end in LF or CRLF.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace arrays {

struct Csv {
  uint64_t rows = 0;
  uint64_t columns = 0;
  uint64_t first_line = 1;     // of row 0; each further row is one line
  std::vector<double> values;  // row-major; NaN for an empty cell and for "nan"
};

// bytes is the whole file, place how messages name it. header: the first line names the columns.
Csv parse_csv(std::string_view bytes, const std::string& place, bool header);

}  // namespace arrays
