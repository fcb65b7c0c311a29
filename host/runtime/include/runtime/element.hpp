// element.hpp: one element of any dtype as a number and back.
#pragma once
#include "broch/value.h"

namespace broch::runtime {

// Of a complex element the real part.
double decode_element(broch_dtype dtype, const void* bytes);
// Rounds to nearest even; integers are cut towards zero, a complex element gets no imaginary part.
void encode_element(broch_dtype dtype, double value, void* bytes);

}  // namespace broch::runtime
