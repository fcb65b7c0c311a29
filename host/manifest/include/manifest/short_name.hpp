// short_name.hpp: the shortest name for a component in a manifest.
#pragma once
#include <string>

namespace broch::manifest {

// The last word of the id if that is enough where this role is required, else the id.
std::string short_name(const std::string& id, const std::string& role);

}  // namespace broch::manifest
