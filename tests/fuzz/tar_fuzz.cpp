// tar_fuzz.cpp: any bytes as a tar archive, or as the index of one: samples, nothing or an Error.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "broch/cpp/error.hpp"
#include "containers/decode.hpp"
#include "containers/tar_index.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto meaning = containers::Meaning(data[0] % 4);
  try {
    const broch::archive::Memory archive(bytes, "fuzz.tar");
    const containers::TarIndex index = containers::index_tar(archive);
    for (const containers::TarIndex::Entry& entry : index.entries)
      containers::decode(archive.read(entry.offset, entry.size), meaning, "fuzz");
  } catch (const broch::Error&) {
  }
  containers::parse_tar_index(bytes, size);
  return 0;
}
