// paths.hpp: relative paths in a manifest.
#pragma once
#include <string>

#include "value/value.hpp"

namespace broch::value {

// Makes a path absolute, relative to the folder; keeps its origin. "" stays "". "~/…" is in the
// home directory.
Value absolute(const Value& path, const std::string& folder);

}  // namespace broch::value
