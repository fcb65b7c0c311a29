// null_hint.hpp: a hint for wrong shapes, which the null runtime may have made up.
#pragma once
#include "runtime/backend.hpp"
#include "tower/names.hpp"

namespace broch::tower {

// The null runtime gives each result the shape of the first argument.
inline const char* hint_for_shape(const Backend& backend, const char* hint) {
  return backend.is_null() ? "the null runtime computes no shapes: use --runtime torch" : hint;
}

}  // namespace broch::tower
