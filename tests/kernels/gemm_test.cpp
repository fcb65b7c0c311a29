// gemm_test.cpp: matrix products of all layouts against sums in double.
#include "kernels/gemm.hpp"

#include "support.hpp"

using namespace broch::kernels;

namespace {

struct Operands {
  GemmShape shape;
  Floats a, b, c, bias, gate;
};

// transposed_a, transposed_b: the operand lies as its transpose; C has 3 columns to spare.
Operands operands(int64_t m, int64_t n, int64_t k, bool transposed_a, bool transposed_b) {
  Operands made;
  made.shape = {m, n, k, {k + 1, 1}, {n + 2, 1}, n + 3};
  if (transposed_a) made.shape.a = {1, m + 1};
  if (transposed_b) made.shape.b = {1, k + 2};
  made.a = random_floats((m + 1) * (k + 1), 1);
  made.b = random_floats((n + 2) * (k + 2), 2);
  made.c = random_floats(m * (n + 3), 3);
  made.bias = random_floats(n, 4);
  made.gate = random_floats(m * n, 5);
  return made;
}

double plain(const Operands& with, const GemmEpilogue& epilogue, int64_t i, int64_t j) {
  const GemmShape& shape = with.shape;
  double sum = epilogue.accumulate ? with.c[i * shape.c_row + j] : 0;
  for (int64_t k = 0; k < shape.k; ++k) {
    sum += static_cast<double>(with.a[i * shape.a.row + k * shape.a.column]) *
           with.b[k * shape.b.row + j * shape.b.column];
  }
  if (epilogue.bias) sum += with.bias[j];
  if (epilogue.relu) sum = std::max(sum, 0.0);
  if (epilogue.gate && with.gate[i * shape.n + j] <= 0) sum = 0;
  return sum;
}

// Largest difference in C, and infinite where the spare columns were touched.
double error_of(const Operands& with, const GemmEpilogue& epilogue) {
  const GemmPlan plan(with.shape);
  Floats scratch(plan.scratch_size() + 1, kNaN), c = with.c;
  plan.run(with.a.data(), with.b.data(), c.data(), epilogue, scratch.data());
  std::vector<double> expected(c.begin(), c.end());
  const auto original = with.c;
  for (int64_t i = 0; i < with.shape.m; ++i) {
    for (int64_t j = 0; j < with.shape.c_row; ++j) {
      const int64_t at = i * with.shape.c_row + j;
      expected[at] = j < with.shape.n ? plain(with, epilogue, i, j) : original[at];
    }
  }
  return std::isnan(scratch.back()) ? difference(c, expected) : kInfinity;
}

}  // namespace

TEST_CASE("gemm: every layout and size has the sums of a plain product") {
  const int64_t sizes[][3] = {{1, 1, 1},       {3, 5, 7},    {32, 128, 64},   {32, 10, 128},
                              {10, 33, 32},    {65, 47, 19}, {31, 100, 513},  {7, 16, 3},
                              {130, 70, 1030}, {600, 20, 5}, {37, 300, 1030}, {130, 700, 6}};
  with_each_isa([&] {
    for (const auto& size : sizes) {
      const int64_t m = size[0], n = size[1], k = size[2];
      for (const int layout : {0, 1, 2, 3}) {
        INFO(m, " x ", n, " x ", k, ", layout ", layout);
        CHECK(error_of(operands(m, n, k, layout & 1, layout & 2), {}) < 1e-4);
      }
    }
  });
}

TEST_CASE("gemm: sum, bias, rectifier and gate follow the product in this order") {
  with_each_isa([&] {
    for (const int64_t k : {40, 700}) {
      for (const int64_t n : {61, 250}) {
        const Operands with = operands(37, n, k, false, true);
        const GemmEpilogue all{true, with.bias.data(), true, with.gate.data(), n};
        CHECK(error_of(with, all) < 5e-5);
        CHECK(error_of(with, {true, nullptr, false, nullptr, 0}) < 5e-5);
        CHECK(error_of(with, {false, with.bias.data(), true, nullptr, 0}) < 5e-5);
        CHECK(error_of(with, {false, nullptr, false, with.gate.data(), n}) < 5e-5);
      }
    }
  });
}

TEST_CASE("gemm: an empty sum is zero and empty results write nothing") {
  with_each_isa([&] {
    CHECK(error_of(operands(5, 9, 0, false, false), {}) == 0);
    CHECK(error_of(operands(0, 9, 4, false, false), {}) == 0);
    CHECK(error_of(operands(5, 0, 4, false, false), {}) == 0);
  });
}

TEST_CASE("gemm: parts of a product have the bits of the whole") {
  with_each_isa([&] {
    for (const int64_t k : {3, 30, 600}) {
      const Operands with = operands(70, 200, k, false, true);
      const GemmPlan plan(with.shape);
      Floats scratch(plan.scratch_size()), whole = with.c, parts = with.c;
      plan.run(with.a.data(), with.b.data(), whole.data(), {}, scratch.data());
      for (const int64_t row : {0, 33}) {
        for (const int64_t column : {0, 64, 128}) {
          plan.run(with.a.data(), with.b.data(), parts.data(), {}, scratch.data(),
                   {row, row ? 70 : 33, column, column == 128 ? 200 : column + 64});
        }
      }
      CHECK(same_bits(whole, parts));
    }
  });
}

TEST_CASE("gemm: a product with a packed B, as a whole and in parts") {
  const int64_t sizes[][3] = {{1, 1, 1},     {1, 130, 600},   {5, 200, 30},
                              {70, 10, 513}, {70, 200, 1030}, {4, 96, 0}};
  with_each_isa([&] {
    for (const auto& size : sizes) {
      for (const bool transposed : {false, true}) {
        const int64_t m = size[0], n = size[1];
        INFO(m, " x ", n, " x ", size[2], ", transposed ", transposed);
        const Operands with = operands(m, n, size[2], false, transposed);
        const PackedGemmPlan plan(with.shape);
        Floats packed(plan.packed_size() + 1, kNaN), whole = with.c, parts = with.c;
        plan.pack(with.b.data(), packed.data());
        CHECK(std::isnan(packed.back()));
        const GemmEpilogue after{true, with.bias.data(), true, nullptr, 0};
        plan.run(with.a.data(), packed.data(), whole.data(), after, plan.whole());
        std::vector<double> expected(whole.begin(), whole.end());
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j)
            expected[i * with.shape.c_row + j] = plain(with, after, i, j);
        CHECK(difference(whole, expected) < 1e-4);
        for (int64_t column = 0; column < n; column += plan.panel())
          for (const int64_t row : {int64_t{0}, m / 2})
            plan.run(with.a.data(), packed.data(), parts.data(), after,
                     {row, row ? m : m / 2, column, std::min(n, column + plan.panel())});
        if (m > 1) CHECK(same_bits(whole, parts));
      }
    }
  });
}

TEST_CASE("gemm: NaN and infinity reach the result, through the rectifier too") {
  with_each_isa([&] {
    Operands with = operands(4, 20, 6, false, false);
    with.a[2 * with.shape.a.row + 3] = kNaN;
    with.b[5 * with.shape.b.row + 7] = kInfinity;
    Floats scratch(GemmPlan(with.shape).scratch_size());
    GemmEpilogue rectified;
    rectified.relu = true;
    GemmPlan(with.shape)
        .run(with.a.data(), with.b.data(), with.c.data(), rectified, scratch.data());
    for (int64_t j = 0; j < 20; ++j) CHECK(std::isnan(with.c[2 * with.shape.c_row + j]));
    const float edge = with.c[7];
    CHECK((edge == kInfinity || edge == 0));
  });
}

TEST_CASE("gemm: column sums of many equal numbers have small errors") {
  with_each_isa([&] {
    const int64_t m = 100'000;
    const Floats matrix(2 * m, 0.1f);
    Floats out(2);
    column_sums(matrix.data(), m, 2, 2, out.data(), false);
    for (const float sum : out) CHECK(std::fabs(sum / (m * double{0.1f}) - 1) < 5e-6);
  });
}

TEST_CASE("gemm: column sums are the gradient of a bias") {
  with_each_isa([&] {
    for (const int64_t m : {0, 1, 2, 33}) {
      const Floats matrix = random_floats(m * 50 + 1, 7);
      Floats out(45, 2.0f);
      std::vector<double> expected(45, 2.0);
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < 45; ++j) expected[j] += matrix[i * 50 + j];
      }
      column_sums(matrix.data(), m, 45, 50, out.data(), true);
      CHECK(difference(out, expected) < 1e-6);
    }
  });
}
