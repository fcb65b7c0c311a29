// event_fuzz.cpp: any bytes as an Event message.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "store/event.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  try {
    broch::store::decode({reinterpret_cast<const char*>(bytes), size}, "fuzz");
  } catch (const broch::base::Error&) {
  }
  return 0;
}
