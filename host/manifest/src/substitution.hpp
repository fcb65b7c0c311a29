// substitution.hpp: replaces ${…} in the strings of a manifest.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "manifest/fault.hpp"
#include "manifest/manifest.hpp"
#include "manifest/value.hpp"

namespace broch::manifest {

using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// Replaces every ${…} in values (never in keys) once, in the whole manifest, and removes "vars".
// Adds a fault for each ${…} that cannot be replaced. Returns the environment variables that were
// read, by first use.
std::vector<EnvironmentValue> substitute(Value& manifest, const Environment& environment,
                                         Faults& faults);

// Whether an environment variable of this name probably holds a secret.
bool is_secret_name(const std::string& name);

}  // namespace broch::manifest
