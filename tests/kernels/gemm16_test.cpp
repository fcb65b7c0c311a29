// gemm16_test.cpp: products in bfloat16 of all layouts and types against sums in double.
#include "kernels/gemm16.hpp"

#include "support.hpp"

using namespace broch::kernels;

namespace {

// To nearest, ties to even, by the definition of the format: the upper half of a float32.
uint16_t half_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

float float_of(uint16_t half) {
  const uint32_t bits = uint32_t{half} << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Memory of either type, with the same values.
struct Stored {
  Floats floats;
  std::vector<uint16_t> halves;

  explicit Stored(int64_t size, uint32_t seed) : floats(random_floats(size, seed)) {
    for (const float value : floats) halves.push_back(half_of(value));
  }
  void* data(Number number) {
    return number == Number::float32 ? static_cast<void*>(floats.data()) : halves.data();
  }
  float value(Number number, int64_t at) const {
    return number == Number::float32 ? floats[at] : float_of(halves[at]);
  }
  float rounded(int64_t at) const { return float_of(halves[at]); }
};

struct Case {
  int64_t m, n, k;
  bool transposed_a, transposed_b;
  Number a, b, c;
  bool bias;
};

// Largest difference in the range of C, relative to the sum of the absolute products; infinite
// where something else was touched.
double error_of(const Case& with, const GemmRange& range) {
  const int64_t m = with.m, n = with.n, k = with.k;
  Gemm16Shape shape{{m, n, k, {k + 1, 1}, {n + 2, 1}, n + 3}, with.a, with.b, with.c};
  if (with.transposed_a) shape.shape.a = {1, m + 1};
  if (with.transposed_b) shape.shape.b = {1, k + 2};
  Stored a((m + 1) * (k + 1), 1), b((n + 2) * (k + 2), 2), c(m * (n + 3), 3), bias(n, 4);
  const Stored before = c;
  const Gemm16Plan plan(shape);
  Floats scratch(plan.scratch_size() + 1, kNaN);
  const Gemm16Epilogue epilogue{with.bias ? bias.data(with.b) : nullptr, with.b};
  plan.run(a.data(with.a), b.data(with.b), c.data(with.c), epilogue, scratch.data(), range);
  double largest = std::isnan(scratch.back()) ? 0 : kInfinity;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n + 3; ++j) {
      const int64_t at = i * (n + 3) + j;
      const bool inside = i >= range.row_begin && i < range.row_end && j >= range.column_begin &&
                          j < range.column_end;
      if (!inside && c.value(with.c, at) != before.value(with.c, at)) return kInfinity;
      if (!inside) continue;
      double sum = 0, size = 1;
      for (int64_t l = 0; l < k; ++l) {
        const double product = double{a.rounded(i * shape.shape.a.row + l * shape.shape.a.column)} *
                               b.rounded(l * shape.shape.b.row + j * shape.shape.b.column);
        sum += product;
        size += std::abs(product);
      }
      if (with.bias) sum += bias.value(with.b, j);
      const double rounding = with.c == Number::float32 ? 0 : std::abs(sum) / 256;
      const double apart = std::abs(c.value(with.c, at) - sum) - rounding;
      largest = std::isfinite(apart) ? std::max(largest, apart / size) : kInfinity;
    }
  return largest;
}

double error_of(const Case& with) { return error_of(with, {0, with.m, 0, with.n}); }

constexpr Number kNumbers[] = {Number::float32, Number::bfloat16};

}  // namespace

TEST_CASE("gemm16: every layout, type and size has the sums of a plain product") {
  if (!has_gemm16()) return;
  for (const int64_t m : {1, 5, 12, 29})
    for (const int64_t n : {1, 16, 31, 70})
      for (const int64_t k : {1, 2, 33, 64})
        for (int bits = 0; bits < 64; bits += 3) {
          const auto bit = [bits](int i) { return (bits >> i & 1) != 0; };
          const Case with{
              m,     n, k, bit(0), bit(1), kNumbers[bit(2)], kNumbers[bit(3)], kNumbers[bit(4)],
              bit(5)};
          INFO(m, "x", n, "x", k, ", case ", bits);
          REQUIRE(error_of(with) < 1e-6);
        }
}

TEST_CASE("gemm16: several passes over rows and along k") {
  if (!has_gemm16()) return;
  for (const int64_t k : {512, 513, 1300})
    for (const Number c : kNumbers)
      for (const bool transposed : {false, true})
        CHECK(error_of({300, 40, k, transposed, !transposed, Number::float32, Number::float32, c,
                        true}) < 1e-6);
}

TEST_CASE("gemm16: no inner dimension is a product of zero") {
  if (!has_gemm16()) return;
  CHECK(error_of({3, 4, 0, false, false, Number::float32, Number::bfloat16, Number::float32,
                  true}) == 0);
}

TEST_CASE("gemm16: a range changes nothing else, and has the bits of the whole") {
  if (!has_gemm16()) return;
  CHECK(
      error_of({40, 70, 90, false, true, Number::float32, Number::bfloat16, Number::bfloat16, true},
               {7, 31, 32, 61}) < 1e-6);
  const GemmShape shape{300, 70, 600, {600, 1}, {1, 600}, 70};
  const Floats a = random_floats(300 * 600, 1), b = random_floats(70 * 600, 2);
  const Gemm16Plan plan(Gemm16Shape{shape});
  Floats scratch(plan.scratch_size()), whole(300 * 70), parts(300 * 70);
  plan.run(a.data(), b.data(), whole.data(), {}, scratch.data(), plan.whole());
  for (const GemmRange& range :
       {GemmRange{0, 8, 0, 70}, {8, 200, 0, 32}, {8, 200, 32, 70}, {200, 300, 0, 70}})
    plan.run(a.data(), b.data(), parts.data(), {}, scratch.data(), range);
  CHECK(same_bits(whole, parts));
}

TEST_CASE("gemm16: infinities and NaN reach the sums") {
  if (!has_gemm16()) return;
  const Floats a{1, kInfinity, kNaN, 2}, b{1, 1};
  Floats c(2);
  const Gemm16Plan plan(Gemm16Shape{{2, 1, 2, {2, 1}, {1, 1}, 1}});
  Floats scratch(plan.scratch_size());
  plan.run(a.data(), b.data(), c.data(), {}, scratch.data(), plan.whole());
  CHECK(c[0] == kInfinity);
  CHECK(std::isnan(c[1]));
}

TEST_CASE("gemm16: only with all instructions that it needs") {
  const bool here = has_gemm16();
  limit_isa(Isa::avx2);
  CHECK_FALSE(has_gemm16());
  limit_isa(Isa::avx512);
  CHECK(has_gemm16() == here);
}
