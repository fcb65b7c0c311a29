// msgpack_fuzz.cpp: any bytes as a point of tensorpack, in its two formats: a point or an Error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "broch/cpp/error.hpp"
#include "msgpack/point.hpp"
#include "zmq/tensor_list.hpp"

namespace {

void check(const std::vector<containers::Named>& point) {
  for (const auto& [name, component] : point) {
    const std::string_view bytes = component.bytes();
    if (containers::byte_count(component.type, component.shape) != bytes.size()) __builtin_trap();
    unsigned sum = 0;
    for (const char c : bytes) sum += static_cast<unsigned char>(c);
    volatile unsigned read = sum;
    (void)read;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view message(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (data[0] % 3) {
      case 0:
        check(msgpack::parse_point(message, "fuzz"));
        break;
      case 1:
        check(zmq_ops::parse_point(message, "fuzz"));
        break;
      default:
        msgpack::parse_keys(message, "fuzz");
    }
  } catch (const broch::Error&) {
  }
  return 0;
}
