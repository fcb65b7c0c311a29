// wide_dtype.hpp: the dtype in which values of several tensors meet.
#pragma once
#include <broch/broch.hpp>

namespace broch::models {

// In mixed precision, some tensors are bfloat16 and others float32; what joins or compares them
// must not round the latter.
inline broch_dtype wide_dtype(const Tower& tower, const Tensor& x) {
  const broch_dtype dtype = tower.dtype(x);
  return dtype == BROCH_BFLOAT16 ? broch_dtype(BROCH_FLOAT32) : dtype;
}

}  // namespace broch::models
