// datum_fuzz.cpp: any bytes as an image of Caffe: an image with its label, or an Error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "broch/cpp/error.hpp"
#include "containers/datum.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const auto point = containers::parse_datum({reinterpret_cast<const char*>(data), size}, "fuzz");
    for (const auto& [name, component] : point)
      if (containers::byte_count(component.type, component.shape) != component.bytes().size())
        __builtin_trap();
  } catch (const broch::Error&) {
  }
  return 0;
}
