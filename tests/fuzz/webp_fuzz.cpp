// webp_fuzz.cpp: any bytes as a WebP file: pixels or an Error.
#include "image_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  images::fuzz(images::webp_codec(), data, size);
  return 0;
}
