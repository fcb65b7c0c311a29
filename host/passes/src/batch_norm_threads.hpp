// batch_norm_threads.hpp: how threads divide a batch norm: the channels of planes, or the pixels if
// channels are last. Convolutions divide the images, so with pixels each thread finds in its caches
// what it has computed before.
#pragma once
#include <optional>

#include "kernels/batch_norm.hpp"
#include "lower.hpp"
#include "parts.hpp"

namespace broch::passes {

class BatchNormThreads {
 public:
  // For images in either layout, or rows of channels; nullopt for other layouts.
  static std::optional<BatchNormThreads> of(const Program& program, int view);

  const kernels::BatchNorm& shape() const { return shape_; }
  bool channels_last() const { return channels_last_; }
  // float32 elements that a call needs while it runs.
  int64_t scratch_size() const { return channels_last_ ? parts_.count * 2 * shape_.channels : 0; }

  Kernel forward(const kernels::BatchNormForward& call, const float* gamma, float* scratch) const;
  Kernel backward(const kernels::BatchNormBackward& call, const float* gamma, float* scratch) const;
  // With LibTorch's bits; only for planes.
  Kernel forward_exactly(const kernels::BatchNormForward& call, const float* gamma) const;
  Kernel backward_exactly(const kernels::BatchNormBackward& call, const float* gamma) const;

 private:
  BatchNormThreads(const kernels::BatchNorm& shape, bool channels_last);
  kernels::BatchNorm shape_;
  bool channels_last_;
  Parts parts_;
};

}  // namespace broch::passes
