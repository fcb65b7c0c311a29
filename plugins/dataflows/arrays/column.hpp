// column.hpp: one component of all rows, converted to the element type of the data points.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arrays/element.hpp"
#include "arrays/table.hpp"

namespace arrays {

// The options of a component in the manifest.
struct ColumnOptions {
  std::string file;
  bool header = false;
  std::optional<std::vector<int64_t>> columns;  // {first, count} of a .csv file
  std::vector<std::string> names;               // names of columns instead; neither: all
  std::optional<std::vector<int64_t>> shape;    // of one data point; none: as in the file
  std::optional<Element> element;               // none: float32 from .csv, otherwise as in the file
  double scale = 1;
  bool missing = false;  // whether NaN is a value
  std::string name;

  Wanted wanted() const { return {columns, names, ""}; }
  bool has_header() const { return header || !names.empty(); }
};

// Checks what can be checked without reading the file. place: the JSON pointer of the component,
// for messages. Throws Error (INVALID_ARGUMENT).
void check_options(const ColumnOptions& options, const std::string& place);

struct Column {
  Element element;
  std::vector<int64_t> shape;  // of one row
  uint64_t row_bytes;
  std::vector<char> bytes;  // of all rows
};

// Selects and converts the elements of a component. Throws Error with the place of a value that
// does not fit.
Column take_column(const Table& table, const ColumnOptions& options);

}  // namespace arrays
