// short_names.hpp: names of parameters for tables and pictures.
#pragma once
#include <string>
#include <vector>

#include "sweep/spec.hpp"

namespace broch::sweep {

// The last word of each path, or the whole path if two end with the same word.
std::vector<std::string> short_names(const Spec& spec);

}  // namespace broch::sweep
