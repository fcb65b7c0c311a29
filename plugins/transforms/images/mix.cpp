// mix.cpp: draws and sums of mixup and cutmix.
#include "images/mix.hpp"

#include <cmath>
#include <numeric>

namespace images {

namespace {

// The logarithm of a number from the gamma distribution; for a small shape, many of the numbers
// themselves are too small for a double.
double draw_log_gamma(double shape, broch::Draws& draws) {
  if (shape < 1) {
    const double larger = draw_log_gamma(shape + 1, draws);
    return larger + std::log(1 - draws.uniform()) / shape;
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double normal = draws.normal(), v = std::pow(1 + c * normal, 3);
    const double uniform = 1 - draws.uniform();
    if (v > 0 && std::log(uniform) < 0.5 * normal * normal + d - d * v + d * std::log(v))
      return std::log(d * v);
  }
}

}  // namespace

double draw_beta(double alpha, broch::Draws& draws) {
  const double a = draw_log_gamma(alpha, draws), b = draw_log_gamma(alpha, draws);
  return a == b ? 0.5 : 1 / (1 + std::exp(b - a));  // both may be -infinity
}

std::vector<int64_t> draw_permutation(int64_t count, broch::Draws& draws) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t{0});
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[draws.below(i)]);
  return order;
}

cv::Rect draw_cutmix_box(cv::Size size, double& lambda, broch::Draws& draws) {
  const double side = std::sqrt(1 - lambda);
  const int width = int(size.width * side), height = int(size.height * side);
  const int x = int(draws.below(uint64_t(size.width))), y = int(draws.below(uint64_t(size.height)));
  const cv::Rect box =
      cv::Rect(x - width / 2, y - height / 2, width, height) & cv::Rect({0, 0}, size);
  lambda = 1 - double(box.area()) / size.area();
  return box;
}

void mix_rows(const float* a, const float* b, int64_t count, double lambda, float* to) {
  const float first = float(lambda), second = float(1 - lambda);
  for (int64_t i = 0; i < count; ++i) to[i] = first * a[i] + second * b[i];
}

void mix_rows(const uint8_t* a, const uint8_t* b, int64_t count, double lambda, uint8_t* to) {
  const float first = float(lambda), second = float(1 - lambda);
  for (int64_t i = 0; i < count; ++i)
    to[i] = uint8_t(first * float(a[i]) + second * float(b[i]) + 0.5f);
}

}  // namespace images
