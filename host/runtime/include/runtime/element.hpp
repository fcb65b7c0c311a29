// element.hpp: converts one element of any dtype to a number and back.
#pragma once
#include "broch/value.h"

namespace broch::runtime {

// The real part of a complex element.
double decode_element(broch_dtype dtype, const void* bytes);
// Rounds to nearest even. Integers are truncated, and a complex element gets the imaginary part 0.
void encode_element(broch_dtype dtype, double value, void* bytes);

}  // namespace broch::runtime
