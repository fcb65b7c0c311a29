// png_fuzz.cpp: any bytes as a PNG file: pixels or an Error.
#include "image_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  images::fuzz(images::png_codec(), data, size);
  return 0;
}
