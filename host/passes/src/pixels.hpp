// pixels.hpp: images of bytes that a convolution reads itself, instead of floats made from them.
#pragma once
#include "lower.hpp"

namespace broch::passes {

// Bytes, each of which times `scale` is an element of a float32 view.
struct Pixels {
  int view;
  float scale;
};

// Whether the call makes float32 of bytes, element by element.
bool makes_floats_of_bytes(const Program& program, const Node& node);

// What the only writer of the view x makes it from, if that can still be read by call `at`.
std::optional<Pixels> pixels_of(const Program& program, const Uses& uses, size_t at, int x);

}  // namespace broch::passes
