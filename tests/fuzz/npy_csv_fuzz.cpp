// npy_csv_fuzz.cpp: any bytes as a .npy or a .csv file: a column or an Error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "arrays/column.hpp"
#include "broch/cpp/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  arrays::ColumnOptions options;
  options.file = data[0] & 1 ? "fuzz.npy" : "fuzz.csv";
  options.header = data[0] & 2;
  options.missing = data[0] & 4;
  options.element = arrays::kElements[data[0] >> 3 & 7].element;
  try {
    const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    arrays::take_column(arrays::Table::parse(bytes, options.file, options.header), options);
  } catch (const broch::Error&) {
  }
  return 0;
}
