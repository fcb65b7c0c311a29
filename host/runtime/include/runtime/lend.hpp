// lend.hpp: tensors that a plugin may use for a while.
#pragma once
#include <cstdint>

#include "broch/value.h"
#include "runtime/tensor.hpp"

namespace broch::runtime {

// A handle of the current tower call, or outside of one; borrowed until the innermost scope ends.
// 0 for an undefined tensor. tags: the published names it depends on (tower::Tags).
broch_tensor lend(Tensor tensor, uint64_t tags = 0);

}  // namespace broch::runtime
