// valued.hpp: a tensor of a tower call.
#pragma once
#include <cstdint>

#include "runtime/tensor.hpp"
#include "tower/names.hpp"

namespace broch::tower {

// A tensor and the published names it was computed from.
struct Valued {
  Tensor tensor;
  uint64_t tags = 0;
};

}  // namespace broch::tower
