// tanh_test.cpp: the hyperbolic tangent against that of double.
#include "kernels/tanh.hpp"

#include "support.hpp"

using namespace broch::kernels;

TEST_CASE("tanh: within 2 ulp, from zero to where it is 1") {
  Floats x;
  for (float size = 1e-30f; size < 200; size *= 1.0003f) {
    x.push_back(size);
    x.push_back(-size);
  }
  with_each_isa([&] {
    Floats y(x.size());
    tanh(x.data(), y.data(), static_cast<int64_t>(x.size()));
    double worst = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double expected = std::tanh(double{x[i]});
      worst = std::max(worst, std::abs(y[i] - expected) / std::abs(expected));
    }
    CHECK(worst < 2 * 1.2e-7);
  });
}

TEST_CASE("tanh: NaN, infinities, zeros, and in place") {
  with_each_isa([] {
    Floats x = {kNaN, kInfinity, -kInfinity, 0.0f, -0.0f};
    tanh(x.data(), x.data(), static_cast<int64_t>(x.size()));
    CHECK(std::isnan(x[0]));
    CHECK(same_bits({x.begin() + 1, x.end()}, {1.0f, -1.0f, 0.0f, -0.0f}));
  });
}
