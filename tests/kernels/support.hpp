// support.hpp: random operands, the largest difference, and a loop over the instruction sets.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/isa.hpp"

namespace broch::kernels {

using Floats = std::vector<float>;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Runs body once with each set of instructions that this machine has.
template <class Body>
void with_each_isa(Body&& body) {
  for (const Isa isa : {Isa::generic, Isa::avx2, Isa::avx512}) {
    if (isa > hardware_isa()) continue;
    limit_isa(isa);
    const std::string name = isa_name();
    INFO("instructions: ", name);
    body();
  }
  limit_isa(Isa::avx512);
}

inline Floats random_floats(int64_t size, uint32_t seed = 1) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  Floats values(static_cast<size_t>(size));
  for (float& value : values) value = normal(engine);
  return values;
}

// Largest |a - b| / max(1, |b|); infinite where one is NaN or they are unequal infinities.
template <class A, class B>
double difference(const A& a, const B& b) {
  if (a.size() != b.size()) return kInfinity;
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double apart = std::abs(x - y) / std::max(1.0, std::abs(y));
    largest = std::isfinite(apart) ? std::max(largest, apart) : kInfinity;
  }
  return largest;
}

inline bool same_bits(const Floats& a, const Floats& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

}  // namespace broch::kernels
