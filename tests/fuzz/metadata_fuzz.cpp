// metadata_fuzz.cpp: any text as metadata: components or an Error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "plugins/metadata.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    broch::plugins::parse_metadata({std::string(reinterpret_cast<const char*>(data), size)},
                                   "fuzz.so");
  } catch (const broch::base::Error&) {
  }
  return 0;
}
