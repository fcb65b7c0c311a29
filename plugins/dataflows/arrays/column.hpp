// column.hpp: one component of all rows, in the element type that points have.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arrays/element.hpp"
#include "arrays/table.hpp"

namespace arrays {

// What a manifest says about a component.
struct ColumnOptions {
  std::string file;
  bool header = false;
  std::optional<std::vector<int64_t>> columns;  // {first, count} of a .csv file
  std::vector<std::string> names;               // of columns instead; neither: all
  std::optional<std::vector<int64_t>> shape;    // of one point; none: as in the file
  std::optional<Element> element;               // none: float32 from a .csv file, else the file's
  double scale = 1;
  bool missing = false;  // NaN is a value
  std::string name;

  Wanted wanted() const { return {columns, names, ""}; }
  bool has_header() const { return header || !names.empty(); }
};

// What can be said without reading the file; place is the component in the options. Throws
// INVALID_ARGUMENT.
void check_options(const ColumnOptions& options, const std::string& place);

struct Column {
  Element element;
  std::vector<int64_t> shape;  // of one row
  uint64_t row_bytes;
  std::vector<char> bytes;  // of all rows
};

// Converts; a value that does not fit is refused with its place.
Column take_column(const Table& table, const ColumnOptions& options);

}  // namespace arrays
