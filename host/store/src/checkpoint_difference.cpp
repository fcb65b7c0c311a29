// checkpoint_difference.cpp: compares bits first, and reads numbers only where bits differ.
#include "store/checkpoint_difference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <map>

#include "base/text.hpp"
#include "store/float8.hpp"

namespace broch::store {
namespace {

// Represents every 64-bit integer exactly.
using Number = std::complex<long double>;

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

long double half(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const long double magnitude = exponent == 31  ? (fraction ? NAN : INFINITY)
                                : exponent == 0 ? std::ldexp(fraction, -24)
                                                : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

Number number_at(Dtype dtype, const std::byte* at) {
  switch (dtype) {
    case Dtype::boolean:
    case Dtype::u8:
      return load<uint8_t>(at);
    case Dtype::i8:
      return load<int8_t>(at);
    case Dtype::i16:
      return load<int16_t>(at);
    case Dtype::u16:
      return load<uint16_t>(at);
    case Dtype::f16:
      return half(load<uint16_t>(at));
    case Dtype::bf16:
      return std::bit_cast<float>(uint32_t{load<uint16_t>(at)} << 16);
    case Dtype::i32:
      return load<int32_t>(at);
    case Dtype::u32:
      return load<uint32_t>(at);
    case Dtype::f32:
      return load<float>(at);
    case Dtype::c64:
      return {load<float>(at), load<float>(at + sizeof(float))};
    case Dtype::f64:
      return load<double>(at);
    case Dtype::i64:
      return load<int64_t>(at);
    case Dtype::u64:
      return load<uint64_t>(at);
    case Dtype::f8_e4m3:
      return from_e4m3(load<uint8_t>(at));
    case Dtype::f8_e5m2:
      return half(uint16_t(load<uint8_t>(at) << 8));
  }
  return 0;
}

uint64_t different_bits(const std::byte* a, const std::byte* b, size_t size) {
  uint64_t count = 0;
  for (size_t i = 0; i < size; ++i)
    count += uint64_t(std::popcount(std::to_integer<uint8_t>(a[i] ^ b[i])));
  return count;
}

// Keeps the larger of the two. If largest is NaN, it stays NaN.
void raise(double& largest, long double value) {
  if (std::isnan(largest) || value <= largest) return;
  largest = double(value);
}

void add_element(VariableDifference& sum, Number a, Number b) {
  const auto is_nan = [](Number x) { return std::isnan(x.real()) || std::isnan(x.imag()); };
  if (is_nan(a) && is_nan(b)) return;
  const long double apart = std::abs(a - b);
  const long double scale = std::max(std::abs(a), std::abs(b));
  raise(sum.largest_absolute, apart);
  if (apart != 0) raise(sum.largest_relative, std::isinf(scale) ? INFINITY : apart / scale);
}

void compare(const TensorView& a, const TensorView& b, VariableDifference& sum) {
  const size_t size = dtype_size(a.dtype);
  sum.elements = a.bytes.size() / size;
  if (std::ranges::equal(a.bytes, b.bytes)) return;
  for (size_t at = 0; at < a.bytes.size(); at += size) {
    const std::byte *const x = a.bytes.data() + at, *const y = b.bytes.data() + at;
    const uint64_t bits = different_bits(x, y, size);
    if (bits == 0) continue;
    sum.different_bits += bits;
    ++sum.different_elements;
    add_element(sum, number_at(a.dtype, x), number_at(a.dtype, y));
  }
}

}  // namespace

std::string type_of(const TensorView& tensor) {
  return std::string(dtype_name(tensor.dtype)) + " " + base::shape_text(tensor.shape);
}

std::vector<VariableDifference> differences(const CheckpointContents& a,
                                            const CheckpointContents& b) {
  std::map<std::string, std::pair<const TensorView*, const TensorView*>> pairs;
  for (const SavedVariable& one : a.variables) pairs[one.value.name].first = &one.value;
  for (const SavedVariable& one : b.variables) pairs[one.value.name].second = &one.value;
  std::vector<VariableDifference> found;
  for (const auto& [name, pair] : pairs) {
    const auto [x, y] = pair;
    VariableDifference one{name, x ? type_of(*x) : "", y ? type_of(*y) : ""};
    if (one.same_type()) compare(*x, *y, one);
    if (!one.same_type() || one.different_elements > 0) found.push_back(std::move(one));
  }
  return found;
}

}  // namespace broch::store
