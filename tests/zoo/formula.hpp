// formula.hpp: weights and data by their names, the same as in tests/reference/make_zoo.py.
#pragma once
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace broch::zoo_test {

// 64 random bits for each element of what has this name: splitmix64 behind a hash (FNV-1a).
class Draws {
 public:
  explicit Draws(const std::string& name) {
    for (const char byte : name) seed_ = (seed_ ^ uint8_t(byte)) * 0x100000001B3;
  }
  // 40 bits less, so that a float32 can hold it.
  uint64_t bits(uint64_t element) const {
    uint64_t x = seed_ + (element + 1) * 0x9E3779B97F4A7C15;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return (x ^ (x >> 31)) >> 40;
  }
  // From -1 to 1.
  double number(uint64_t element) const { return double(bits(element)) / 8388608 - 1; }

 private:
  uint64_t seed_ = 0xCBF29CE484222325;
};

inline bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// The value of a variable.
inline std::vector<float> weights(const std::string& name, const std::vector<int64_t>& shape) {
  uint64_t count = 1;
  for (const int64_t size : shape) count *= uint64_t(size);
  double scale = 0.1, offset = 0;
  if (shape.size() > 1) {
    scale = std::sqrt(3 / (double(count) / double(shape[0])));
  } else if (ends_with(name, "running_var")) {
    scale = 0.5, offset = 1;
  } else if (ends_with(name, ".weight")) {
    scale = 0.25, offset = 1;
  }
  const Draws draws(name);
  std::vector<float> values(count);
  for (uint64_t i = 0; i < count; ++i) values[i] = float(offset + draws.number(i) * scale);
  return values;
}

}  // namespace broch::zoo_test
