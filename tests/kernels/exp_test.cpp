// exp_test.cpp: the exponential against that of double, in units in the last place.
#include "kernels/exp.hpp"

#include "support.hpp"

using namespace broch::kernels;

namespace {

// Distance in units of the last place of the nearest float to `exact`.
double units(float value, double exact) {
  const float nearest = static_cast<float>(exact);
  const double unit = std::nextafter(nearest, kInfinity) - static_cast<double>(nearest);
  return std::abs(value - exact) / unit;
}

}  // namespace

TEST_CASE("exp: within one unit in the last place, down to the smallest results") {
  with_each_isa([] {
    Floats x;
    for (float at = -104; at < 88.7f; at += 1.3e-3f) x.push_back(at);
    for (float at = 1e-30f; at < 1; at *= 1.7f) x.insert(x.end(), {at, -at});
    Floats y(x.size());
    exponential(x.data(), y.data(), static_cast<int64_t>(x.size()));
    double largest = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      largest = std::max(largest, units(y[i], std::exp(double{x[i]})));
    }
    CHECK(largest < (isa() == Isa::generic ? 1.2 : 1));  // without fused products
  });
}

TEST_CASE("exp: beyond the range of float it is 0 or infinite, and NaN stays NaN") {
  with_each_isa([] {
    Floats x{0.0f, -0.0f, kInfinity, -kInfinity, 88.73f, 1e30f, -104.1f, -1e30f, kNaN, 88.72f};
    exponential(x.data(), x.data(), 10);
    const Floats expected{1, 1, kInfinity, 0, kInfinity, kInfinity, 0, 0};
    CHECK(Floats(x.begin(), x.begin() + 8) == expected);
    CHECK(std::isnan(x[8]));
    CHECK(std::isfinite(x[9]));
  });
}
