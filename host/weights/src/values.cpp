// values.cpp: IEEE 754 formats by their bits, since float16 and bfloat16 are no C++ types.
#include "weights/values.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include "store/float8.hpp"

namespace broch::weights {
namespace {

using store::Dtype;

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
void put(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

double from_half(uint16_t bits) {
  const double sign = bits >> 15 ? -1 : 1;
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 31) return fraction ? std::nan("") : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 1024, exponent - 25);
}

// Rounds a positive finite number to a multiple of the unit in its last place. rint rounds ties to
// even. digits: of the significand, with the leading one; least: exponent of the smallest normal.
double rounded(double value, int digits, int least) {
  const int exponent = std::max(std::ilogb(value), least);
  const int unit = exponent - (digits - 1);
  return std::ldexp(std::rint(std::ldexp(value, -unit)), unit);
}

uint16_t to_half(double value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  value = std::fabs(value);
  if (std::isnan(value)) return sign | 0x7e00;
  if (value == 0) return sign;
  if (std::isfinite(value)) value = rounded(value, 11, -14);
  if (value >= 65536) return sign | 0x7c00;
  if (value < 0x1p-14) return sign | uint16_t(std::ldexp(value, 24));
  const int exponent = std::ilogb(value);
  return sign | uint16_t((exponent + 15) << 10 | (int(std::ldexp(value, 10 - exponent)) - 1024));
}

uint16_t to_bfloat16(double value) {
  if (std::isnan(value)) return 0x7fc0 | (std::signbit(value) ? 0x8000 : 0);
  if (std::isfinite(value) && value != 0)
    value = std::copysign(rounded(std::fabs(value), 8, -126), value);
  // Exact, or infinite.
  return uint16_t(std::bit_cast<uint32_t>(float(value)) >> 16);
}

// Above 464, which is halfway to a number that there is not, they are NaN, as in PyTorch.
uint8_t to_e4m3(double value) {
  const uint8_t sign = std::signbit(value) ? 0x80 : 0;
  value = std::fabs(value);
  if (std::isfinite(value) && value != 0) value = rounded(value, 4, -6);
  if (!(value <= 448)) return sign | 0x7f;
  if (value < 0x1p-6) return sign | uint8_t(std::ldexp(value, 9));
  const int exponent = std::ilogb(value);
  return sign | uint8_t((exponent + 7) << 3 | (int(std::ldexp(value, 3 - exponent)) - 8));
}

uint8_t to_e5m2(double value) {
  if (std::isfinite(value) && value != 0)
    value = std::copysign(rounded(std::fabs(value), 3, -14), value);
  return uint8_t(to_half(value) >> 8);
}

struct Integer {
  int bits;
  bool is_signed;
};
// {0, false}: no integer.
Integer integer(Dtype dtype) {
  switch (dtype) {
    case Dtype::u8:
    case Dtype::u16:
    case Dtype::u32:
    case Dtype::u64:
      return {int(store::dtype_size(dtype)) * 8, false};
    case Dtype::i8:
    case Dtype::i16:
    case Dtype::i32:
    case Dtype::i64:
      return {int(store::dtype_size(dtype)) * 8, true};
    default:
      return {0, false};
  }
}

// Digits of the significand and the largest exponent.
struct Float {
  int digits, exponent;
};
Float float_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16:
      return {11, 15};
    case Dtype::bf16:
      return {8, 127};
    case Dtype::f32:
      return {24, 127};
    case Dtype::f8_e4m3:
      return {4, 8};
    case Dtype::f8_e5m2:
      return {3, 15};
    default:
      return {53, 1023};
  }
}

// An integer with its sign extended to the 64 bits.
uint64_t load_integer(const std::byte* from, Dtype dtype) {
  uint64_t value = 0;
  const uint64_t size = store::dtype_size(dtype);
  std::memcpy(&value, from, size);
  const Integer type = integer(dtype);
  if (type.is_signed && type.bits < 64 && value >> (type.bits - 1))
    value |= ~uint64_t{0} << type.bits;
  return value;
}

}  // namespace

bool is_float(Dtype dtype) {
  return dtype == Dtype::f16 || dtype == Dtype::bf16 || dtype == Dtype::f32 ||
         dtype == Dtype::f64 || dtype == Dtype::f8_e4m3 || dtype == Dtype::f8_e5m2;
}

bool holds(Dtype to, Dtype from) {
  if (to == from) return true;
  if (is_float(to) && is_float(from)) {
    const Float wide = float_of(to), narrow = float_of(from);
    return wide.digits >= narrow.digits && wide.exponent >= narrow.exponent;
  }
  const Integer wide = integer(to), narrow = integer(from);
  if (wide.bits == 0 || narrow.bits == 0) return false;
  if (wide.is_signed == narrow.is_signed) return wide.bits >= narrow.bits;
  return wide.is_signed && wide.bits > narrow.bits;
}

double to_double(const std::byte* from, Dtype dtype) {
  switch (dtype) {
    case Dtype::f16:
      return from_half(load<uint16_t>(from));
    case Dtype::bf16:
      return std::bit_cast<float>(uint32_t{load<uint16_t>(from)} << 16);
    case Dtype::f32:
      return load<float>(from);
    case Dtype::f8_e4m3:
      return store::from_e4m3(load<uint8_t>(from));
    case Dtype::f8_e5m2:
      return from_half(uint16_t(load<uint8_t>(from) << 8));
    default:
      return load<double>(from);
  }
}

void from_double(double value, std::byte* to, Dtype dtype) {
  switch (dtype) {
    case Dtype::f16:
      return put(to, to_half(value));
    case Dtype::bf16:
      return put(to, to_bfloat16(value));
    case Dtype::f32:
      return put(to, float(value));
    case Dtype::f8_e4m3:
      return put(to, to_e4m3(value));
    case Dtype::f8_e5m2:
      return put(to, to_e5m2(value));
    default:
      return put(to, value);
  }
}

std::vector<std::byte> converted(std::span<const std::byte> bytes, Dtype from, Dtype to) {
  if (from == to) return {bytes.begin(), bytes.end()};
  const uint64_t small = store::dtype_size(from), large = store::dtype_size(to);
  const uint64_t count = bytes.size() / small;
  std::vector<std::byte> result(count * large);
  for (uint64_t i = 0; i < count; ++i) {
    const std::byte* const source = bytes.data() + i * small;
    std::byte* const target = result.data() + i * large;
    if (is_float(from)) {
      from_double(to_double(source, from), target, to);
    } else {
      const uint64_t value = load_integer(source, from);
      std::memcpy(target, &value, large);
    }
  }
  return result;
}

std::vector<int64_t> transposed(const std::vector<int64_t>& shape) {
  std::vector<int64_t> result{shape.back(), shape[shape.size() - 2]};
  result.insert(result.end(), shape.begin(), shape.end() - 2);
  return result;
}

std::vector<std::byte> transposed(std::span<const std::byte> bytes,
                                  const std::vector<int64_t>& shape, uint64_t element_size) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * shape[i + 1];
  std::vector<std::byte> result(bytes.size());
  gather(bytes.data(), transposed(shape), transposed(strides), element_size, result.data());
  return result;
}

void gather(const std::byte* from, const std::vector<int64_t>& shape,
            const std::vector<int64_t>& strides, uint64_t element_size, std::byte* to) {
  const size_t rank = shape.size();
  uint64_t count = 1;
  for (const int64_t extent : shape) count *= uint64_t(extent);
  std::vector<int64_t> counter(rank);  // the last dimension runs fastest
  int64_t at = 0;
  for (uint64_t i = 0; i < count; ++i, to += element_size) {
    std::memcpy(to, from + uint64_t(at) * element_size, element_size);
    for (size_t d = rank; d-- > 0;) {
      at += strides[d];
      if (++counter[d] < shape[d]) break;
      at -= counter[d] * strides[d];
      counter[d] = 0;
    }
  }
}

}  // namespace broch::weights
