// table.hpp: a file in memory as rows of numbers, the same for both formats.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "arrays/csv.hpp"
#include "arrays/element.hpp"

namespace arrays {

class Table {
 public:
  // Reads a file whose name ends in .npy or .csv. header and wanted are for .csv files, see
  // parse_csv.
  static Table read(const std::string& file, bool header, const std::vector<Wanted>& wanted = {});
  // bytes: the content of the file.
  static Table parse(std::string bytes, const std::string& file, bool header,
                     const std::vector<Wanted>& wanted = {});

  const std::string& file() const { return file_; }
  bool is_csv() const { return csv_.columns > 0; }
  Element element() const { return element_; }
  uint64_t rows() const { return rows_; }
  const std::vector<int64_t>& row_shape() const { return row_shape_; }
  uint64_t row_elements() const { return row_elements_; }
  // The positions in a row of the wanted elements, in this order. All elements for a .npy file.
  std::vector<uint64_t> elements_of(const Wanted& wanted) const;

  // The elements of all rows, row-major; the memory may be unaligned.
  const char* data() const {
    return is_csv() ? reinterpret_cast<const char*>(csv_.values.data()) : bytes_.data() + offset_;
  }
  // The place of one element, for messages.
  std::string place(uint64_t row, uint64_t element) const;

 private:
  std::string file_;
  Element element_ = Element::float64;
  uint64_t rows_ = 0, row_elements_ = 1;
  std::vector<int64_t> row_shape_;
  Csv csv_;              // without columns for a .npy file
  std::string bytes_;    // of a .npy file
  uint64_t offset_ = 0;  // of the first element in bytes_
};

bool is_csv_name(const std::string& file);
bool is_npy_name(const std::string& file);

}  // namespace arrays
