// csv_pieces.hpp: divides a text file between threads. Part of csv.hpp.
#pragma once
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace files {

// Some whole lines of a file.
struct CsvPiece {
  std::string_view text;
  uint64_t first_line = 1;           // counted from 1
  uint64_t first_row = 0, rows = 0;  // a row has several lines where a quoted cell does
};

// text: what follows the header. The rows are right if quotes are only around whole cells, or if
// with_quotes is false: then they mean nothing.
std::vector<CsvPiece> cut_csv(std::string_view text, uint64_t first_line, bool with_quotes,
                              unsigned threads);

// Calls job(0) … job(jobs - 1) on several threads; 0: one per processor. job does not throw.
void run_threads(unsigned threads, size_t jobs, const std::function<void(size_t)>& job);

}  // namespace files
