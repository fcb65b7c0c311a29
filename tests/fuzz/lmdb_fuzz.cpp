// lmdb_fuzz.cpp: any bytes as an LMDB database: all values are found, or an Error.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "broch/cpp/error.hpp"
#include "containers/lmdb_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const broch::archive::Memory memory({reinterpret_cast<const char*>(data), size}, "fuzz.lmdb");
    const containers::LmdbFile file(memory);
    file.each_key([&](std::string_view key) {
      if (const auto place = file.find(key)) memory.read(place->offset, place->size);
    });
  } catch (const broch::Error&) {
  }
  return 0;
}
