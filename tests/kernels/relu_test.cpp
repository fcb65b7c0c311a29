// relu_test.cpp: rectifiers and sums are exact.
#include "kernels/relu.hpp"

#include "support.hpp"

using namespace broch::kernels;

TEST_CASE("relu: forward, backward and sums at every length") {
  with_each_isa([&] {
    for (int64_t size = 0; size < 70; ++size) {
      const Floats a = random_floats(size, 1), b = random_floats(size, 2);
      Floats y(size), dx(size), sum(size), both(size), expected[4];
      for (int64_t i = 0; i < size; ++i) {
        expected[0].push_back(a[i] > 0 ? a[i] : 0);
        expected[1].push_back(a[i] > 0.5f ? b[i] : 0);
        expected[2].push_back(a[i] + b[i]);
        expected[3].push_back(a[i] + b[i] > 0 ? a[i] + b[i] : 0);
      }
      relu(a.data(), y.data(), size);
      threshold_backward(b.data(), a.data(), 0.5f, dx.data(), size);
      add(a.data(), b.data(), sum.data(), size);
      add_relu(a.data(), b.data(), both.data(), size);
      CHECK(same_bits(y, expected[0]));
      CHECK(same_bits(dx, expected[1]));
      CHECK(same_bits(sum, expected[2]));
      CHECK(same_bits(both, expected[3]));
    }
  });
}

TEST_CASE("relu: NaN stays NaN and lets the gradient through") {
  with_each_isa([&] {
    const Floats x(19, kNaN), dy(19, 3.0f);
    Floats y(19), dx(19);
    relu(x.data(), y.data(), 19);
    threshold_backward(dy.data(), x.data(), 0, dx.data(), 19);
    for (size_t i = 0; i < 19; ++i) {
      CHECK(std::isnan(y[i]));
      CHECK(dx[i] == 3);
    }
  });
}
