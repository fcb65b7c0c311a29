// table.cpp: reads a whole file and parses it by its format.
#include "arrays/table.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "arrays/diagnostic.hpp"
#include "arrays/npy.hpp"

namespace arrays {
namespace {

constexpr uint64_t kMaxFile = uint64_t{1} << 32;

std::string read_file(const std::string& file) {
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(file, error);
  if (error)
    refuse(file, error == std::errc::no_such_file_or_directory ? "no such file" : error.message(),
           "a file that can be read",
           "check the path; it is relative to the manifest that names it");
  if (size > kMaxFile)
    refuse(file, std::to_string(size) + " bytes", "at most " + std::to_string(kMaxFile),
           "use the dataflow npy, which leaves the data on disk");
  std::ifstream stream(file, std::ios::binary);
  std::string bytes(size, '\0');
  stream.read(bytes.data(), std::streamsize(size));
  if (uint64_t(stream.gcount()) != size)
    refuse(file, std::to_string(stream.gcount()) + " readable bytes", std::to_string(size),
           "check its permissions and the disk");
  return bytes;
}

}  // namespace

bool is_csv_name(const std::string& file) { return file.ends_with(".csv"); }
bool is_npy_name(const std::string& file) { return file.ends_with(".npy"); }

Table Table::read(const std::string& file, bool header, const std::vector<Wanted>& wanted) {
  return parse(read_file(file), file, header, wanted);
}

Table Table::parse(std::string bytes, const std::string& file, bool header,
                   const std::vector<Wanted>& wanted) {
  Table table;
  table.file_ = file;
  if (is_csv_name(file)) {
    table.csv_ = parse_csv(bytes, file, header, wanted);
    table.rows_ = table.csv_.rows;
    table.row_elements_ = table.csv_.read.size();
    table.row_shape_ = {int64_t(table.row_elements_)};
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

std::vector<uint64_t> Table::elements_of(const Wanted& wanted) const {
  std::vector<uint64_t> elements;
  if (is_csv()) {
    for (const uint64_t column : csv_.columns_of(wanted, file_))
      elements.push_back(uint64_t(std::lower_bound(csv_.read.begin(), csv_.read.end(), column) -
                                  csv_.read.begin()));
    return elements;
  }
  for (uint64_t i = 0; i < row_elements_; ++i) elements.push_back(i);
  return elements;
}

std::string Table::place(uint64_t row, uint64_t element) const {
  if (is_csv()) {
    const uint64_t column = csv_.read[element];
    return file_ + ": line " + std::to_string(csv_.first_line + row) + ", column " +
           std::to_string(column + 1) + csv_.named(column);
  }
  return file_ + ": row " + std::to_string(row) + ", element " + std::to_string(element);
}

}  // namespace arrays
