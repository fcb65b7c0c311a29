// build_hint.hpp: what a person can do about a library that is not there yet.
#pragma once
#include <string>

namespace broch::plugins {

// The commands that build it, when it was to lie in or below a project of CMake, Meson or Cargo;
// else advice.
std::string how_to_build(const std::string& library);

}  // namespace broch::plugins
