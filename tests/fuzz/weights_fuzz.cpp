// weights_fuzz.cpp: any bytes as a zip file with weights, such as a .npz: tensors or an Error.
#include "weights_fuzz.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::read_all({reinterpret_cast<const char*>(data), size}, "fuzz.npz");
  return 0;
}
