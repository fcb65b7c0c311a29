// initializers.hpp: first values of variables.
#pragma once
#include <cstdint>
#include <vector>

#include "broch/ext/variables.h"
#include "names.hpp"

namespace broch::libtorch {

// The drawn values, row-major, unrounded; they depend on key, shape and dtype alone, not on
// threads, vector width or what was drawn before. Throws base::Error for a shape or numbers that
// the initializer cannot serve, and for BROCH_INIT_CONSTANT and BROCH_INIT_VALUES, which draw
// nothing.
std::vector<double> drawn_values(const broch_variable_spec& spec, uint64_t key);

}  // namespace broch::libtorch
