// norm_test.cpp: lengths and scaling, at every length of a list.
#include "kernels/norm.hpp"

#include "support.hpp"

using namespace broch::kernels;

namespace {

double plain_sum(const Floats& values) {
  double sum = 0;
  for (const float value : values) sum += double(value) * value;
  return sum;
}

}  // namespace

TEST_CASE("norm: sums of squares are right at lengths around vectors and blocks") {
  with_each_isa([&] {
    for (const int64_t size :
         {0, 1, 3, 7, 8, 15, 16, 17, 63, 64, 65, 131, 4095, 4096, 4097, 20000}) {
      CAPTURE(size);
      const Floats values = random_floats(size, 3);
      CHECK(sum_of_squares(values.data(), size) ==
            doctest::Approx(plain_sum(values)).epsilon(1e-6));
    }
  });
}

TEST_CASE("norm: what is not a number stays seen") {
  with_each_isa([&] {
    Floats values = random_floats(37, 1);
    values[36] = kNaN;
    CHECK(std::isnan(sum_of_squares(values.data(), 37)));
    values[36] = kInfinity;
    CHECK(std::isinf(sum_of_squares(values.data(), 37)));
  });
}

TEST_CASE("scale: rounds once and leaves the memory behind alone, in place too") {
  with_each_isa([&] {
    for (int64_t size = 0; size < 70; ++size) {
      const Floats from = random_floats(size, 5);
      Floats to(static_cast<size_t>(size) + 1, 7), expected;
      for (const float value : from) expected.push_back(value * 0.3f);
      expected.push_back(7);
      scale(from.data(), 0.3f, to.data(), size);
      CHECK(same_bits(to, expected));
      Floats both = from;
      both.push_back(7);
      scale(both.data(), 0.3f, both.data(), size);
      CHECK(same_bits(both, expected));
    }
  });
}
