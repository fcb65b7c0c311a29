// initializers.hpp: random initial values of variables.
#pragma once
#include <cstdint>
#include <vector>

#include "broch/ext/variables.h"
#include "names.hpp"

namespace broch::libtorch {

// The values in row-major order, not rounded to the dtype. They depend only on key, shape and
// dtype, not on threads, vector width or other variables. Throws base::Error if the initializer
// does not allow the shape or its numbers, and for BROCH_INIT_CONSTANT and BROCH_INIT_VALUES, which
// are not random.
std::vector<double> drawn_values(const broch_variable_spec& spec, uint64_t key);

}  // namespace broch::libtorch
