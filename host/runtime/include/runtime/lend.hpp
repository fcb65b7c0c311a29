// lend.hpp: lends tensors to plugins.
#pragma once
#include <cstdint>

#include "broch/value.h"
#include "runtime/tensor.hpp"

namespace broch::runtime {

// Makes a handle in the current tower call, or outside of one, that is valid until the innermost
// scope ends. 0 for an undefined tensor. `tags` are the published names that it depends on
// (tower::Tags).
broch_tensor lend(Tensor tensor, uint64_t tags = 0);

}  // namespace broch::runtime
