// values_test.cpp: conversions and orders of elements.
#include "weights/values.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace broch::weights;
using broch::store::Dtype;

namespace {

template <class T>
T cast(double value, Dtype dtype) {
  T result{};
  from_double(value, reinterpret_cast<std::byte*>(&result), dtype);
  return result;
}
template <class T>
double read(T bits, Dtype dtype) {
  return to_double(reinterpret_cast<const std::byte*>(&bits), dtype);
}
template <class T>
std::span<const std::byte> bytes(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

}  // namespace

TEST_CASE("values: every float16 and bfloat16 comes back from a double as it was") {
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16})
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      const double value = read(uint16_t(bits), dtype);
      if (std::isnan(value))
        CHECK(std::isnan(read(cast<uint16_t>(value, dtype), dtype)));
      else
        REQUIRE(cast<uint16_t>(value, dtype) == bits);
    }
}

TEST_CASE("values: a double between two neighbors becomes the nearer, and the even one halfway") {
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16}) {
    const uint16_t last = dtype == Dtype::f16 ? 0x7bff : 0x7f7f;
    for (uint16_t bits = 0; bits < last; ++bits) {
      const double low = read(bits, dtype), high = read(uint16_t(bits + 1), dtype);
      const double middle = (low + high) / 2;
      REQUIRE(cast<uint16_t>(middle, dtype) == (bits % 2 ? bits + 1 : bits));
      REQUIRE(cast<uint16_t>(std::nextafter(middle, low), dtype) == bits);
      REQUIRE(cast<uint16_t>(-std::nextafter(middle, high), dtype) == (0x8000 | (bits + 1)));
    }
  }
  CHECK(cast<uint16_t>(65519, Dtype::f16) == 0x7bff);
  CHECK(cast<uint16_t>(65520, Dtype::f16) == 0x7c00);
  CHECK(cast<uint16_t>(-1e300, Dtype::f16) == 0xfc00);
  CHECK(cast<uint16_t>(1e300, Dtype::bf16) == 0x7f80);
}

// The largest and smallest numbers of each format, and the ends of their ranges: tables 1 and 2 of
// arXiv:2209.05433.
TEST_CASE("values: the two formats of float8") {
  for (const Dtype dtype : {Dtype::f8_e4m3, Dtype::f8_e5m2}) {
    for (uint32_t bits = 0; bits < 256; ++bits) {
      const double value = read(uint8_t(bits), dtype);
      if (std::isnan(value))
        CHECK(std::isnan(read(cast<uint8_t>(value, dtype), dtype)));
      else
        REQUIRE(cast<uint8_t>(value, dtype) == bits);
    }
    const uint8_t last = dtype == Dtype::f8_e4m3 ? 0x7e : 0x7b;
    for (uint8_t bits = 0; bits < last; ++bits) {
      const double low = read(bits, dtype), high = read(uint8_t(bits + 1), dtype);
      REQUIRE(low < high);
      REQUIRE(cast<uint8_t>((low + high) / 2, dtype) == (bits % 2 ? bits + 1 : bits));
      REQUIRE(cast<uint8_t>(-std::nextafter((low + high) / 2, high), dtype) == (0x80 | (bits + 1)));
    }
  }
  CHECK(read(uint8_t{0x7e}, Dtype::f8_e4m3) == 448);
  CHECK(read(uint8_t{0x08}, Dtype::f8_e4m3) == 0x1p-6);
  CHECK(read(uint8_t{0x01}, Dtype::f8_e4m3) == 0x1p-9);
  CHECK(std::isnan(read(uint8_t{0xff}, Dtype::f8_e4m3)));
  CHECK(cast<uint8_t>(464, Dtype::f8_e4m3) == 0x7e);
  CHECK(cast<uint8_t>(-465, Dtype::f8_e4m3) == 0xff);
  CHECK(read(uint8_t{0x7b}, Dtype::f8_e5m2) == 57344);
  CHECK(read(uint8_t{0x04}, Dtype::f8_e5m2) == 0x1p-14);
  CHECK(read(uint8_t{0x01}, Dtype::f8_e5m2) == 0x1p-16);
  CHECK(std::isinf(read(uint8_t{0xfc}, Dtype::f8_e5m2)));
  CHECK(cast<uint8_t>(61440, Dtype::f8_e5m2) == 0x7c);
}

TEST_CASE("values: which types hold all values of which") {
  for (const Dtype wide : {Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::f64}) {
    CHECK(holds(wide, Dtype::f8_e4m3));
    CHECK(holds(wide, Dtype::f8_e5m2));
    CHECK_FALSE(holds(Dtype::f8_e5m2, wide));
  }
  CHECK_FALSE(holds(Dtype::f8_e4m3, Dtype::f8_e5m2));
  CHECK_FALSE(holds(Dtype::f8_e5m2, Dtype::f8_e4m3));
  CHECK(holds(Dtype::f32, Dtype::bf16));
  CHECK(holds(Dtype::f64, Dtype::f16));
  CHECK_FALSE(holds(Dtype::f16, Dtype::bf16));
  CHECK_FALSE(holds(Dtype::bf16, Dtype::f16));
  CHECK_FALSE(holds(Dtype::f32, Dtype::f64));
  CHECK(holds(Dtype::i64, Dtype::u32));
  CHECK(holds(Dtype::u16, Dtype::u8));
  CHECK_FALSE(holds(Dtype::u64, Dtype::i8));
  CHECK_FALSE(holds(Dtype::i32, Dtype::u32));
  CHECK_FALSE(holds(Dtype::f64, Dtype::i8));
  CHECK_FALSE(holds(Dtype::i8, Dtype::boolean));
  CHECK(holds(Dtype::c64, Dtype::c64));
}

TEST_CASE("values: integers keep their sign when they become wider") {
  const std::vector<int8_t> small{-128, -1, 0, 127};
  const std::vector<std::byte> wide = converted(bytes(small), Dtype::i8, Dtype::i64);
  const std::vector<int64_t> expected{-128, -1, 0, 127};
  CHECK(std::ranges::equal(wide, bytes(expected)));
  const std::vector<uint8_t> bits{255};
  const std::vector<int16_t> as_signed{255};
  CHECK(std::ranges::equal(converted(bytes(bits), Dtype::u8, Dtype::i16), bytes(as_signed)));
}

TEST_CASE("values: kernels of TensorFlow in PyTorch's order") {
  CHECK(transposed({3, 5, 2, 4}) == std::vector<int64_t>{4, 2, 3, 5});
  const std::vector<int16_t> dense{1, 2, 3, 4, 5, 6};  // (2, 3)
  const std::vector<int16_t> turned{1, 4, 2, 5, 3, 6};
  CHECK(std::ranges::equal(transposed(bytes(dense), {2, 3}, 2), bytes(turned)));
  std::vector<float> kernel(3 * 5 * 2 * 4);
  for (size_t i = 0; i < kernel.size(); ++i) kernel[i] = float(i);
  const std::vector<std::byte> moved = transposed(bytes(kernel), {3, 5, 2, 4}, 4);
  const float* const at = reinterpret_cast<const float*>(moved.data());
  for (int o = 0; o < 4; ++o)
    for (int i = 0; i < 2; ++i)
      for (int h = 0; h < 3; ++h)
        for (int w = 0; w < 5; ++w)
          REQUIRE(at[((o * 2 + i) * 3 + h) * 5 + w] == kernel[((h * 5 + w) * 2 + i) * 4 + o]);
}
