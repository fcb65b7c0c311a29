// null_hint.hpp: what to do about a shape that the null runtime made up.
#pragma once
#include "runtime/backend.hpp"
#include "tower/names.hpp"

namespace broch::tower {

// The null runtime gives a result the shape of its first argument.
inline const char* hint_for_shape(const Backend& backend, const char* hint) {
  return backend.is_null() ? "the null runtime computes no shapes: use --runtime torch" : hint;
}

}  // namespace broch::tower
