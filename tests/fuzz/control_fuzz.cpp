// control_fuzz.cpp: any bytes as a line to a running training: a request or an Error.
#include <cstddef>
#include <cstdint>

#include "base/error.hpp"
#include "control/request.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  try {
    broch::control::parse_request({reinterpret_cast<const char*>(bytes), size});
  } catch (const broch::base::Error&) {
  }
  return 0;
}
