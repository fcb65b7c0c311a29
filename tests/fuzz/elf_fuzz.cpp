// elf_fuzz.cpp: any bytes as a library: facts or an Error.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error.hpp"
#include "plugins/elf.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using broch::plugins::Bytes;
  try {
    broch::plugins::read_elf(Bytes(std::as_bytes(std::span(data, size)), "fuzz.so"));
  } catch (const broch::base::Error&) {
  }
  return 0;
}
