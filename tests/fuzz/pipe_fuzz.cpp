// pipe_fuzz.cpp: any bytes as frames of a program, in pieces of any size: frames or an Error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "broch/cpp/error.hpp"
#include "pipe/frame.hpp"

namespace {

constexpr uint64_t kMostBytes = 4096;

class Memory final : public piped::Bytes {
 public:
  Memory(const uint8_t* data, size_t size, size_t step) : data_(data), left_(size), step_(step) {}
  size_t read(void* memory, size_t size) override {
    size = std::min({size, left_, step_});
    if (size > 0) std::memcpy(memory, data_, size);
    data_ += size;
    left_ -= size;
    return size;
  }

 private:
  const uint8_t* data_;
  size_t left_, step_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  Memory memory(data + 1, size - 1, data[0] / 2 + 1u);
  piped::FrameReader reader(memory, "fuzz", kMostBytes);
  std::vector<std::vector<char>> elements;
  const bool is_wanted = data[0] & 1;
  try {
    for (;;)
      reader.next([&](const piped::Component& component) -> void* {
        if (component.bytes > kMostBytes) __builtin_trap();
        return is_wanted ? elements.emplace_back(component.bytes).data() : nullptr;
      });
  } catch (const broch::Error&) {
  }
  return 0;
}
