// batch_norm_threads.cpp: runs the kernels of a batch norm in parts.
#include "batch_norm_threads.hpp"

namespace broch::passes {
namespace {

constexpr double kCost = 10;  // floating-point operations for each element

kernels::BatchNorm with(kernels::BatchNorm shape, const float* gamma) {
  shape.gamma = gamma;
  return shape;
}

// compute: a kernel that computes some channels.
template <class Call>
Kernel over_channels(const Parts& parts, const kernels::BatchNorm& shape, const Call& call,
                     void (*compute)(const kernels::BatchNorm&, const Call&,
                                     const kernels::BatchNormRange&) noexcept) {
  return [=] {
    parts.run([&](int64_t begin, int64_t end, int64_t) { compute(shape, call, {begin, end}); });
  };
}

}  // namespace

BatchNormThreads::BatchNormThreads(const kernels::BatchNorm& shape, bool channels_last)
    : shape_(shape),
      channels_last_(channels_last),
      parts_(channels_last ? shape.pixels() : shape.channels,
             kCost * static_cast<double>(shape.pixels() * shape.channels)) {}

std::optional<BatchNormThreads> BatchNormThreads::of(const Program& program, int number) {
  if (number == kNoView) return std::nullopt;
  const View& view = program.views[number];
  if (view.dtype != at::kFloat || view.sizes.size() < 2) return std::nullopt;
  kernels::BatchNorm shape;
  shape.images = view.sizes[0];
  shape.channels = view.sizes[1];
  shape.area = 1;
  for (size_t i = 2; i < view.sizes.size(); ++i) shape.area *= view.sizes[i];
  const bool last = is_channels_last(view) || (view.contiguous() && shape.area == 1);
  if ((!last && !view.contiguous()) || shape.pixels() * shape.channels == 0) return std::nullopt;
  return BatchNormThreads(shape, last);
}

Kernel BatchNormThreads::forward(const kernels::BatchNormForward& call, const float* gamma,
                                 float* scratch) const {
  const kernels::BatchNorm shape = with(shape_, gamma);
  if (!channels_last_) return over_channels(parts_, shape, call, kernels::batch_norm);
  const kernels::BatchNormSums moments{scratch, parts_.count, parts_.each};
  return [=, parts = parts_] {
    parts.run([&](int64_t begin, int64_t end, int64_t part) {
      kernels::batch_norm_moments(shape, call.x, {begin, end}, moments.of(part, shape.channels));
    });
    kernels::batch_norm_statistics(shape, call, moments);
    parts.run([&](int64_t begin, int64_t end, int64_t) {
      kernels::batch_norm_last(shape, call, {begin, end});
    });
  };
}

Kernel BatchNormThreads::backward(const kernels::BatchNormBackward& call, const float* gamma,
                                  float* scratch) const {
  const kernels::BatchNorm shape = with(shape_, gamma);
  if (!channels_last_) return over_channels(parts_, shape, call, kernels::batch_norm_backward);
  const kernels::BatchNormSums sums{scratch, parts_.count, parts_.each};
  return [=, parts = parts_] {
    parts.run([&](int64_t begin, int64_t end, int64_t part) {
      kernels::batch_norm_gradient_sums(shape, call, {begin, end}, sums.of(part, shape.channels));
    });
    kernels::batch_norm_parameter_gradients(shape, call, sums);
    parts.run([&](int64_t begin, int64_t end, int64_t) {
      kernels::batch_norm_last_backward(shape, call, sums.values, {begin, end});
    });
  };
}

Kernel BatchNormThreads::forward_exactly(const kernels::BatchNormForward& call,
                                         const float* gamma) const {
  return over_channels(parts_, with(shape_, gamma), call, kernels::batch_norm_exactly);
}

Kernel BatchNormThreads::backward_exactly(const kernels::BatchNormBackward& call,
                                          const float* gamma) const {
  return over_channels(parts_, with(shape_, gamma), call, kernels::batch_norm_backward_exactly);
}

}  // namespace broch::passes
