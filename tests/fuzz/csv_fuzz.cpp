// csv_fuzz.cpp: any bytes as a .csv file: columns or an Error.
#include <cstddef>
#include <cstdint>

#include "broch/cpp/error.hpp"
#include "files/csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  files::CsvFormat format;
  format.threads = 1;
  format.separator = data[0] & 1 ? ';' : ',';
  format.header = data[0] & 2;
  format.quotes = !(data[0] & 128);
  files::CsvComponent component;
  component.type = files::CsvType(data[0] >> 2 & 3);
  component.missing = files::CsvMissing((data[0] >> 4 & 3) % 3);
  if (data[0] & 64 && component.type == files::CsvType::category)
    component.categories = std::vector<std::string>{"a", "b"};
  try {
    files::read_csv({reinterpret_cast<const char*>(data) + 1, size - 1}, "fuzz.csv", format,
                    {component});
  } catch (const broch::Error&) {
  }
  return 0;
}
