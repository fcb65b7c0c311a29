// element.cpp: conversions, on bits for the types that the compiler does not have.
#include "runtime/element.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace broch::runtime {
namespace {

template <class T>
double decode(const void* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(value);
}

template <class T>
void encode(double value, void* bytes, size_t count = 1) {
  const T parts[2] = {static_cast<T>(value), T{}};
  std::memcpy(bytes, parts, count * sizeof(T));
}

// IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits.
double decode_half(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  double value;
  if (exponent == 31) {
    value = fraction ? NAN : INFINITY;
  } else if (exponent == 0) {
    value = std::ldexp(fraction, -24);
  } else {
    value = std::ldexp(1024 + fraction, exponent - 25);
  }
  return bits >> 15 ? -value : value;
}

uint16_t encode_half(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return sign | 0x7E00;
  const double size = std::fabs(value);
  if (size >= 65520) return sign | 0x7C00;  // half a unit above the largest
  int exponent;
  std::frexp(size, &exponent);
  if (size < std::ldexp(1.0, -14)) exponent = -13;  // subnormal numbers are multiples of 2^-24
  const auto units = static_cast<uint32_t>(std::nearbyint(std::ldexp(size, 11 - exponent)));
  // A carry out of the fraction correctly increments the exponent.
  const uint32_t bits = units < 1024 ? units : (uint32_t(exponent + 14) << 10) + (units - 1024);
  return static_cast<uint16_t>(sign | bits);
}

// bfloat16 is the upper half of a float32.
uint16_t encode_bfloat16(double value) {
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  if (std::isnan(value)) return 0x7FC0;
  return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

uint16_t load16(const void* bytes) {
  uint16_t bits;
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
}

}  // namespace

double decode_element(broch_dtype dtype, const void* bytes) {
  switch (dtype) {
    case BROCH_FLOAT32:
    case BROCH_COMPLEX64:
      return decode<float>(bytes);
    case BROCH_FLOAT64:
    case BROCH_COMPLEX128:
      return decode<double>(bytes);
    case BROCH_FLOAT16:
      return decode_half(load16(bytes));
    case BROCH_BFLOAT16:
      return std::bit_cast<float>(uint32_t(load16(bytes)) << 16);
    case BROCH_INT8:
      return decode<int8_t>(bytes);
    case BROCH_INT16:
      return decode<int16_t>(bytes);
    case BROCH_INT32:
      return decode<int32_t>(bytes);
    case BROCH_INT64:
      return decode<int64_t>(bytes);
    case BROCH_UINT8:
    case BROCH_BOOL:
      return decode<uint8_t>(bytes);
    default:
      return 0;
  }
}

void encode_element(broch_dtype dtype, double value, void* bytes) {
  const auto store16 = [bytes](uint16_t bits) { std::memcpy(bytes, &bits, sizeof bits); };
  switch (dtype) {
    case BROCH_FLOAT32:
      return encode<float>(value, bytes);
    case BROCH_COMPLEX64:
      return encode<float>(value, bytes, 2);
    case BROCH_FLOAT64:
      return encode<double>(value, bytes);
    case BROCH_COMPLEX128:
      return encode<double>(value, bytes, 2);
    case BROCH_FLOAT16:
      return store16(encode_half(value));
    case BROCH_BFLOAT16:
      return store16(encode_bfloat16(value));
    case BROCH_INT8:
      return encode<int8_t>(value, bytes);
    case BROCH_INT16:
      return encode<int16_t>(value, bytes);
    case BROCH_INT32:
      return encode<int32_t>(value, bytes);
    case BROCH_INT64:
      return encode<int64_t>(value, bytes);
    case BROCH_UINT8:
      return encode<uint8_t>(value, bytes);
    case BROCH_BOOL:
      return encode<uint8_t>(value != 0, bytes);
    default:
      return;
  }
}

}  // namespace broch::runtime
