// layer_norm.cpp: normalizes rows by their own mean and variance.
#include "kernels/layer_norm.hpp"

#include <cmath>

#include "targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "layer_norm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

HWY_INLINE float row_mean(const float* x, int64_t width) {
  F sums = hn::Zero(kFloats);
  sweep(width, [&](auto load, auto, int64_t at) HWY_ATTR { sums = hn::Add(sums, load(x + at)); });
  return sum_of(sums) / static_cast<float>(width);
}

HWY_INLINE float row_variance(const float* x, int64_t width, float mean) {
  const F center = set(mean);
  F sums = hn::Zero(kFloats);
  int64_t at = 0;
  for (; at + lanes() <= width; at += lanes()) {
    const F distance = hn::Sub(load(x + at), center);
    sums = hn::MulAdd(distance, distance, sums);
  }
  float sum = sum_of(sums);
  for (; at < width; ++at) sum += (x[at] - mean) * (x[at] - mean);
  return sum / static_cast<float>(width);
}

void layer_norm(const LayerNorm& shape, const float* x, const float* beta, float eps, float* y,
                float* mean, float* rstd) {
  const float* const gamma = shape.gamma;
  for (int64_t i = 0; i < shape.rows; ++i, x += shape.width, y += shape.width) {
    mean[i] = row_mean(x, shape.width);
    rstd[i] = 1 / std::sqrt(row_variance(x, shape.width, mean[i]) + eps);
    const F center = set(mean[i]), scale = set(rstd[i]);
    sweep(shape.width, [=](auto load, auto store, int64_t at) HWY_ATTR {
      F value = hn::Mul(hn::Sub(load(x + at), center), scale);
      if (gamma) value = hn::Mul(value, load(gamma + at));
      if (beta) value = hn::Add(value, load(beta + at));
      store(value, y + at);
    });
  }
}

struct RowSums {
  float gradient, product;  // the sum of dy * gamma, and of dy * gamma * the normalized x
};

// Also adds the row to the gradients of gamma and beta.
HWY_INLINE RowSums row_sums(const LayerNorm& shape, const float* dy, const float* x, F center,
                            F scale, float* d_gamma, float* d_beta) {
  F gradients = hn::Zero(kFloats), products = hn::Zero(kFloats);
  const float* const gamma = shape.gamma;
  sweep(shape.width, [&](auto load, auto store, int64_t at) HWY_ATTR {
    const F output_gradient = load(dy + at);
    const F normal = hn::Mul(hn::Sub(load(x + at), center), scale);
    const F gradient = gamma ? hn::Mul(output_gradient, load(gamma + at)) : output_gradient;
    gradients = hn::Add(gradients, gradient);
    products = hn::MulAdd(gradient, normal, products);
    if (d_gamma) store(hn::MulAdd(output_gradient, normal, load(d_gamma + at)), d_gamma + at);
    if (d_beta) store(hn::Add(output_gradient, load(d_beta + at)), d_beta + at);
  });
  return {sum_of(gradients), sum_of(products)};
}

void layer_norm_backward(const LayerNorm& shape, const float* dy, const float* x, const float* mean,
                         const float* rstd, float* dx, float* d_gamma, float* d_beta) {
  const float* const gamma = shape.gamma;
  const auto width = static_cast<float>(shape.width);
  for (int64_t i = 0; i < shape.rows; ++i) {
    const F center = set(mean[i]), scale = set(rstd[i]);
    const RowSums sums = row_sums(shape, dy, x, center, scale, d_gamma, d_beta);
    const F gradient_mean = set(sums.gradient / width), product_mean = set(sums.product / width);
    sweep(shape.width, [=](auto load, auto store, int64_t at) HWY_ATTR {
      const F normal = hn::Mul(hn::Sub(load(x + at), center), scale);
      const F output_gradient = load(dy + at);
      const F gradient = gamma ? hn::Mul(output_gradient, load(gamma + at)) : output_gradient;
      const F rest = hn::NegMulAdd(normal, product_mean, hn::Sub(gradient, gradient_mean));
      store(hn::Mul(scale, rest), dx + at);
    });
    dy += shape.width;
    x += shape.width;
    dx += shape.width;
  }
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {

void layer_norm(const LayerNorm& shape, const float* x, const float* beta, float eps, float* y,
                float* mean, float* rstd) noexcept {
  BROCH_KERNEL(layer_norm)(shape, x, beta, eps, y, mean, rstd);
}

void layer_norm_backward(const LayerNorm& shape, const float* dy, const float* x, const float* mean,
                         const float* rstd, float* dx, float* d_gamma, float* d_beta) noexcept {
  BROCH_KERNEL(layer_norm_backward)(shape, dy, x, mean, rstd, dx, d_gamma, d_beta);
}

}  // namespace broch::kernels
#endif
