// build_hint.hpp: advice about a plugin library that has not been built yet.
#pragma once
#include <string>

namespace broch::plugins {

// The commands that build the library, if its path lies inside a CMake, Meson or Cargo project;
// otherwise general advice.
std::string how_to_build(const std::string& library);

}  // namespace broch::plugins
