// jpeg_fuzz.cpp: any bytes as a JPEG file: pixels or an Error.
#include "image_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  images::fuzz(images::jpeg_codec(), data, size);
  return 0;
}
