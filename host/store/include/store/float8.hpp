// float8.hpp: numbers of eight bits, the format E4M3 of "FP8 Formats for Deep Learning"
// (arXiv:2209.05433). E5M2, the other one, is the upper half of a float16.
#pragma once
#include <cmath>
#include <cstdint>

namespace broch::store {

// Four bits of exponent and three of fraction. There is no infinity; all ones are NaN.
inline double from_e4m3(uint8_t bits) {
  const double sign = bits & 0x80 ? -1 : 1;
  const int exponent = bits >> 3 & 15, fraction = bits & 7;
  if ((bits & 0x7f) == 0x7f) return std::nan("");
  if (exponent == 0) return sign * std::ldexp(fraction, -9);
  return sign * std::ldexp(fraction + 8, exponent - 10);
}

}  // namespace broch::store
