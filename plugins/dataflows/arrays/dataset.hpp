// dataset.hpp: the components of all rows, and which rows are selected.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "arrays/column.hpp"

namespace arrays {

// Numbers the rows that earlier filters have left, from 0. keep: only those with i % every ==
// offset stay; otherwise exactly these are removed.
struct Filter {
  int64_t every = 1, offset = 0;
  bool keep = true;
};

struct Dataset {
  std::vector<Column> columns;
  std::vector<uint64_t> rows;  // selected, ascending
};

// place: the JSON pointer of the filter, for messages. Throws Error (INVALID_ARGUMENT).
void check_filter(const Filter& filter, const std::string& place);

std::vector<uint64_t> select_rows(uint64_t rows, const std::vector<Filter>& filters);

// Reads each file once. Throws Error if a component has another number of rows than the first, or
// if no row is left.
Dataset read_dataset(const std::vector<ColumnOptions>& components,
                     const std::vector<Filter>& filters);

}  // namespace arrays
