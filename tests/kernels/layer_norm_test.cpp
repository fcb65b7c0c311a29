// layer_norm_test.cpp: output and gradients against the formulas in double.
#include "kernels/layer_norm.hpp"

#include "support.hpp"

using namespace broch::kernels;

namespace {

struct Plain {
  std::vector<double> y, dx, d_gamma, d_beta;
};

// dx = rstd * (g - mean(g) - n * mean(g * n)) with g = dy * gamma and n the normalized x.
Plain plain(int64_t rows, int64_t width, const Floats& x, const Floats& dy, const Floats& gamma,
            const Floats& beta) {
  Plain out{std::vector<double>(x.size()), std::vector<double>(x.size()),
            std::vector<double>(gamma.size()), std::vector<double>(gamma.size())};
  for (int64_t i = 0; i < rows; ++i) {
    const float* const row = x.data() + i * width;
    const float* const upstream = dy.data() + i * width;
    double mean = 0, variance = 0, sum = 0, product = 0;
    for (int64_t j = 0; j < width; ++j) mean += row[j] / static_cast<double>(width);
    for (int64_t j = 0; j < width; ++j) {
      variance += (row[j] - mean) * (row[j] - mean) / static_cast<double>(width);
    }
    const double rstd = 1 / std::sqrt(variance + 1e-5);
    for (int64_t j = 0; j < width; ++j) {
      const double normal = (row[j] - mean) * rstd, gradient = double{upstream[j]} * gamma[j];
      out.y[i * width + j] = normal * gamma[j] + beta[j];
      out.d_gamma[j] += upstream[j] * normal;
      out.d_beta[j] += upstream[j];
      sum += gradient / static_cast<double>(width);
      product += gradient * normal / static_cast<double>(width);
    }
    for (int64_t j = 0; j < width; ++j) {
      const double normal = (row[j] - mean) * rstd, gradient = double{upstream[j]} * gamma[j];
      out.dx[i * width + j] = rstd * (gradient - sum - normal * product);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("layer norm: output and gradients at every width") {
  with_each_isa([&] {
    for (const int64_t width : {1, 3, 16, 47, 64, 128}) {
      CAPTURE(width);
      const Floats x = random_floats(5 * width, 1), dy = random_floats(5 * width, 2);
      const Floats gamma = random_floats(width, 3), beta = random_floats(width, 4);
      const Plain expected = plain(5, width, x, dy, gamma, beta);
      Floats y(x.size()), mean(5), rstd(5), dx = dy, d_gamma(width), d_beta(width);
      const LayerNorm shape{5, width, gamma.data()};
      layer_norm(shape, x.data(), beta.data(), 1e-5f, y.data(), mean.data(), rstd.data());
      CHECK(difference(y, expected.y) < 1e-5);
      layer_norm_backward(shape, dx.data(), x.data(), mean.data(), rstd.data(), dx.data(),
                          d_gamma.data(), d_beta.data());
      CHECK(difference(d_gamma, expected.d_gamma) < 1e-5);
      CHECK(difference(d_beta, expected.d_beta) < 1e-5);
      if (width > 1) CHECK(difference(dx, expected.dx) < 1e-5);
    }
  });
}

TEST_CASE("layer norm: without weights, gamma is one and beta zero") {
  with_each_isa([&] {
    const Floats x = random_floats(3 * 20, 1), dy = random_floats(3 * 20, 2);
    const Plain expected = plain(3, 20, x, dy, Floats(20, 1.0f), Floats(20, 0.0f));
    Floats y(x.size()), mean(3), rstd(3), dx(x.size());
    layer_norm({3, 20}, x.data(), nullptr, 1e-5f, y.data(), mean.data(), rstd.data());
    layer_norm_backward({3, 20}, dy.data(), x.data(), mean.data(), rstd.data(), dx.data(), nullptr,
                        nullptr);
    CHECK(difference(y, expected.y) < 1e-5);
    CHECK(difference(dx, expected.dx) < 1e-5);
  });
}

TEST_CASE("layer norm: NaN spreads over its row and no further") {
  with_each_isa([&] {
    Floats x = random_floats(2 * 21), mean(2), rstd(2);
    x[20] = kNaN;
    layer_norm({2, 21}, x.data(), nullptr, 1e-5f, x.data(), mean.data(), rstd.data());
    for (int64_t j = 0; j < 21; ++j) {
      CHECK(std::isnan(x[j]));
      CHECK(std::isfinite(x[21 + j]));
    }
  });
}
