// csv_layout.hpp: which columns a text file has, and where their cells go. Part of csv.hpp.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "files/csv.hpp"
#include "files/csv_cells.hpp"

namespace files {

// The numbers of words.
struct CsvWordHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
using CsvCodes = std::unordered_map<std::string, int64_t, CsvWordHash, std::equal_to<>>;

class CsvLayout {
 public:
  // Reads the first line of text. Throws Error if a column that a component names is not there.
  CsvLayout(std::string_view text, const std::string& place, const CsvFormat& format,
            const std::vector<CsvComponent>& components);

  // What is done with a column of the file.
  struct Use {
    bool wanted = false;
    size_t component = 0;
    uint64_t offset = 0;  // bytes in a row of the component
  };

  uint64_t header_bytes() const { return header_bytes_; }
  uint64_t first_line() const { return first_line_; }     // of the data, counted from 1
  const std::vector<Use>& uses() const { return uses_; }  // indexed by column
  const std::vector<CsvComponent>& components() const { return components_; }
  const CsvFormat& format() const { return format_; }
  // Whether a word for a missing value is itself a number, such as -999.
  bool has_missing_number() const { return has_missing_number_; }
  // The number of columns of a component, and the listed categories.
  uint64_t width(size_t component) const { return widths_[component]; }
  const CsvCodes& listed(size_t component) const { return listed_[component]; }

  // "t.csv: line 3, column 2 ('b')" and "t.csv: line 3", for messages.
  std::string place_of(uint64_t line, size_t column) const;
  std::string place_of(uint64_t line) const { return place_ + ": line " + std::to_string(line); }
  // Throws Error for a cell whose quotes are wrong.
  void check(const CsvCells::Cell& cell, uint64_t line, size_t column) const;

 private:
  void read_names(std::string_view text);
  void choose_columns();
  size_t column_named(const std::string& name, const std::string& option) const;

  const std::string& place_;
  const CsvFormat& format_;
  const std::vector<CsvComponent>& components_;
  std::vector<std::string> names_;
  struct Named {
    size_t first;          // column
    bool several = false;  // of this name
  };
  std::unordered_map<std::string, Named> named_;
  uint64_t header_bytes_ = 0, first_line_ = 1;
  std::vector<Use> uses_;
  std::vector<uint64_t> widths_;
  std::vector<CsvCodes> listed_;
  bool has_missing_number_ = false;
};

}  // namespace files
