// gelu_test.cpp: both forms against erf and tanh in double.
#include "kernels/gelu.hpp"

#include "support.hpp"

using namespace broch::kernels;

namespace {

double plain(Gelu form, double x) {
  if (form == Gelu::erf) return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
  return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

Floats points() {
  Floats x = random_floats(301);
  for (float& value : x) value *= 3;
  x.insert(x.end(), {0.0f, -0.0f, 30.0f, -30.0f, 1e-20f});
  return x;
}

}  // namespace

TEST_CASE("gelu: both forms and their slopes") {
  with_each_isa([&] {
    for (const Gelu form : {Gelu::erf, Gelu::tanh}) {
      const Floats x = points(), dy = random_floats(static_cast<int64_t>(x.size()), 5);
      const auto size = static_cast<int64_t>(x.size());
      std::vector<double> value, slope;
      for (size_t i = 0; i < x.size(); ++i) {
        value.push_back(plain(form, x[i]));
        slope.push_back(dy[i] * (plain(form, x[i] + 1e-5) - plain(form, x[i] - 1e-5)) / 2e-5);
      }
      Floats y = x, dx = dy;
      gelu(form, y.data(), y.data(), size);
      gelu_backward(form, dx.data(), x.data(), dx.data(), size);
      CHECK(difference(y, value) < 1e-6);
      CHECK(difference(dx, slope) < 2e-6);
    }
  });
}

TEST_CASE("gelu: NaN stays NaN") {
  with_each_isa([&] {
    for (const Gelu form : {Gelu::erf, Gelu::tanh}) {
      Floats x(17, 1.0f);
      x[16] = kNaN;
      gelu(form, x.data(), x.data(), 17);
      CHECK(std::isnan(x[16]));
      CHECK(std::isfinite(x[15]));
    }
  });
}
