// svmlight_fuzz.cpp: any bytes as sparse rows: rows or an Error.
#include <cstddef>
#include <cstdint>

#include "broch/cpp/error.hpp"
#include "files/svmlight.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  try {
    files::parse_svmlight({reinterpret_cast<const char*>(data) + 1, size - 1}, data[0] & 1, "fuzz");
  } catch (const broch::Error&) {
  }
  return 0;
}
