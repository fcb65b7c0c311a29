// substitution.hpp: replaces ${…} in the strings of a manifest.
#pragma once
#include <vector>

#include "environment.hpp"
#include "manifest/manifest.hpp"
#include "value/fault.hpp"

namespace broch::manifest {

// Replaces every ${…} in values (never in keys) once, in the whole manifest, and removes "vars".
// Adds a fault for each ${…} that cannot be replaced. Returns the environment variables that were
// read, by first use.
std::vector<EnvironmentValue> substitute(Value& manifest, const Environment& environment,
                                         Faults& faults);

}  // namespace broch::manifest
