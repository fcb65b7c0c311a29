// paths.hpp: relative paths in a manifest.
#pragma once
#include <string>

#include "manifest/value.hpp"

namespace broch::manifest {

// A path, relative to the folder unless it is absolute; keeps its origin. "" stays "".
Value absolute(const Value& path, const std::string& folder);

}  // namespace broch::manifest
