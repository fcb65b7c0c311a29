// short_name.hpp: what a manifest may write for a component.
#pragma once
#include <string>

namespace broch::manifest {

// In a slot of the role: the last word of an id where that is enough, else the id.
std::string short_name(const std::string& id, const std::string& role);

}  // namespace broch::manifest
