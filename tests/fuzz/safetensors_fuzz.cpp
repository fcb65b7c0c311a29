// safetensors_fuzz.cpp: any bytes as a checkpoint; refused with an error or read, never a crash.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error.hpp"
#include "store/checkpoint.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const auto input = std::as_bytes(std::span(bytes, size));
  try {
    broch::store::SafetensorsFile::parse(input, "fuzz");
    broch::store::parse_checkpoint(input, "fuzz");
  } catch (const broch::base::Error&) {
  }
  return 0;
}
