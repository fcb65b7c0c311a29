// table.cpp: reads a file whole and lets the parser of its format see it.
#include "arrays/table.hpp"

#include <filesystem>
#include <fstream>

#include "arrays/complaint.hpp"
#include "arrays/csv.hpp"
#include "arrays/npy.hpp"

namespace arrays {
namespace {

constexpr uint64_t kMaxFile = uint64_t{1} << 32;

std::string read_file(const std::string& file) {
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(file, error);
  if (error)
    refuse(file, error.message(), "a file that can be read",
           "check the name; it is relative to the manifest that it stands in");
  if (size > kMaxFile)
    refuse(file, std::to_string(size) + " bytes", "at most " + std::to_string(kMaxFile),
           "a dataflow of its own reads larger data piece by piece");
  std::ifstream stream(file, std::ios::binary);
  std::string bytes(size, '\0');
  stream.read(bytes.data(), std::streamsize(size));
  if (uint64_t(stream.gcount()) != size)
    refuse(file, std::to_string(stream.gcount()) + " readable bytes", std::to_string(size),
           "check the rights and the disk");
  return bytes;
}

}  // namespace

bool is_csv_name(const std::string& file) { return file.ends_with(".csv"); }
bool is_npy_name(const std::string& file) { return file.ends_with(".npy"); }

Table Table::read(const std::string& file, bool header) {
  return parse(read_file(file), file, header);
}

Table Table::parse(std::string bytes, const std::string& file, bool header) {
  Table table;
  table.file_ = file;
  if (is_csv_name(file)) {
    Csv csv = parse_csv(bytes, file, header);
    table.rows_ = csv.rows;
    table.first_line_ = csv.first_line;
    table.row_shape_ = {int64_t(csv.columns)};
    table.row_elements_ = csv.columns;
    table.values_ = std::move(csv.values);
    return table;
  }
  const Npy npy = parse_npy(bytes, file);
  table.element_ = npy.element;
  table.rows_ = uint64_t(npy.shape[0]);
  table.row_shape_.assign(npy.shape.begin() + 1, npy.shape.end());
  if (npy.count == 0)
    refuse(file, "an array without elements", "at least one row with one element",
           "name a file with data");
  table.row_elements_ = npy.count / table.rows_;
  table.bytes_ = std::move(bytes);
  table.offset_ = npy.offset;
  return table;
}

std::string Table::place(uint64_t row, uint64_t element) const {
  if (is_csv())
    return file_ + ": line " + std::to_string(first_line_ + row) + ", column " +
           std::to_string(element + 1);
  return file_ + ": row " + std::to_string(row) + ", element " + std::to_string(element);
}

}  // namespace arrays
