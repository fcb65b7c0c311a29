// decode.hpp: small files as components, by what their extension says.
#pragma once
#include <string>
#include <string_view>

#include "containers/component.hpp"

namespace containers {

enum class Meaning { bytes, integer, real, npy };

// integer: an int64 scalar from decimal digits; real: a float32 scalar; npy: an array; bytes: a
// uint8 vector. bytes must outlive the component. place: for messages. Throws Error.
Component decode(std::string_view bytes, Meaning meaning, const std::string& place);

// The reverse: the content of a .npy file, format 1.0.
std::string npy_of(const Component& component);

}  // namespace containers
