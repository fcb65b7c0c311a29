// exported_fuzz.cpp: any bytes as a .pt2 file or as its program: an Error or what they say.
#include <cstddef>
#include <cstdint>
#include <string>

#include "broch/cpp/error.hpp"
#include "models/exported/archive.hpp"

namespace {

using namespace exported;

template <class Read>
void try_to(Read read) {
  try {
    read();
  } catch (const broch::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with("PK")) {
    try_to([&] {
      const Archive archive(bytes, "fuzz.pt2");
      for (const Stored& stored : archive.tensors()) archive.elements(stored);
    });
  } else {
    try_to([&] { program_of(bytes, "fuzz.json"); });
  }
  return 0;
}
