// substitution.hpp: gives the strings of a manifest what their ${…} stand for.
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

// Replaces every ${…} in values (never in keys) once, in the whole manifest, and takes "vars" out.
// Faults name each one that leads nowhere. Returns what the environment gave, by first use.
std::vector<EnvironmentValue> substitute(Value& manifest, const Environment& environment,
                                         Faults& faults);

// Is the environment variable one whose value is better not shown?
bool is_secret_name(const std::string& name);

}  // namespace broch::manifest
