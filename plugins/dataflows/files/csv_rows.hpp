// csv_rows.hpp: one piece of a text file, from cells to numbers. Part of csv.hpp.
#pragma once
#include <cstdint>
#include <exception>
#include <limits>
#include <vector>

#include "files/csv.hpp"
#include "files/csv_layout.hpp"
#include "files/csv_pieces.hpp"

namespace files {

// Stands for a category that is missing, until those of the file are numbered.
inline constexpr int64_t kCsvFilled = std::numeric_limits<int64_t>::min();

// What a thread finds out about its lines.
struct CsvLines : CsvPiece {
  std::vector<CsvCodes> codes;      // of the components whose categories are collected
  std::vector<uint64_t> dropped{};  // rows, ascending
  CsvCounts counts{};               // in the other rows
  std::exception_ptr failure{};
};

// Writes the rows of the piece to their places in the table. Words of categories that are not
// listed get numbers of the piece's own. Throws Error with line and column.
void parse_lines(CsvLines& piece, const CsvLayout& layout, CsvTable& table);

}  // namespace files
