// formula.hpp: numbers that every contender of the benchmark makes for itself and that are the same
// in all of them, bit for bit. peers/formula.py is its twin.
#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace broch::bench {

constexpr int64_t kBatches = 64;  // different ones; step k gets batch k % kBatches

// FNV-1a of a variable's or an input's name.
inline uint32_t seed_of(const std::string& name) {
  uint32_t hash = 2166136261u;
  for (const unsigned char letter : name) hash = (hash ^ letter) * 16777619u;
  return hash;
}

// The finaliser of MurmurHash3 over a Weyl sequence: 32 bits that look random.
inline uint32_t draw(uint32_t seed, uint32_t index) {
  uint32_t x = seed + index * 0x9E3779B9u;
  x = (x ^ x >> 16) * 0x85EBCA6Bu;
  x = (x ^ x >> 13) * 0xC2B2AE35u;
  return x ^ x >> 16;
}

// From -1 to below 1 in steps of 2^-23: exact in float.
inline float uniform(uint32_t seed, uint32_t index) {
  return static_cast<float>(draw(seed, index) >> 8) * 0x1p-23f - 1.0f;
}

inline int64_t product(const std::vector<int64_t>& shape, size_t from = 0) {
  return std::accumulate(shape.begin() + from, shape.end(), int64_t{1}, std::multiplies<>());
}

// First value of a variable with two dimensions or more: uniform with variance 1 / fan_in.
inline std::vector<float> weight(const std::string& name, const std::vector<int64_t>& shape) {
  const uint32_t seed = seed_of(name);
  const auto bound = static_cast<float>(std::sqrt(3.0 / static_cast<double>(product(shape, 1))));
  std::vector<float> values(static_cast<size_t>(product(shape)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = uniform(seed, static_cast<uint32_t>(i)) * bound;
  return values;
}

// One input of all data points.
struct Component {
  std::string name;
  std::vector<int64_t> shape;  // of a batch
  int64_t classes = 0;         // 0: numbers of mean 0 and variance 1; else integers below it
  int64_t period = kBatches;   // batches after which it repeats. Inputs that repeat before their
                               // targets do cannot be learnt by heart: gradients stay what they are
};

inline uint32_t first_index(const Component& component, int64_t batch) {
  return static_cast<uint32_t>(batch % component.period * product(component.shape));
}

inline std::vector<float> numbers(const Component& component, int64_t batch) {
  const uint32_t seed = seed_of(component.name), first = first_index(component, batch);
  const auto bound = static_cast<float>(std::sqrt(3.0));
  std::vector<float> values(static_cast<size_t>(product(component.shape)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = uniform(seed, first + static_cast<uint32_t>(i)) * bound;
  return values;
}

inline std::vector<int64_t> integers(const Component& component, int64_t batch) {
  const uint32_t seed = seed_of(component.name), first = first_index(component, batch);
  const auto classes = static_cast<uint32_t>(component.classes);
  std::vector<int64_t> values(static_cast<size_t>(product(component.shape)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = draw(seed, first + static_cast<uint32_t>(i)) % classes;
  return values;
}

}  // namespace broch::bench
