// dataset.hpp: the components of all rows and the rows that were chosen.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "arrays/column.hpp"

namespace arrays {

// Of the rows that are left, those at places i with i % every == offset stay, or go.
struct Filter {
  int64_t every = 1, offset = 0;
  bool keep = true;
};

struct Dataset {
  std::vector<Column> columns;
  std::vector<uint64_t> rows;  // chosen, ascending
};

// Throws INVALID_ARGUMENT; place is the filter in the options.
void check_filter(const Filter& filter, const std::string& place);

std::vector<uint64_t> select_rows(uint64_t rows, const std::vector<Filter>& filters);

// Reads each file once. All components must have as many rows as the first.
Dataset read_dataset(const std::vector<ColumnOptions>& components,
                     const std::vector<Filter>& filters);

}  // namespace arrays
