// settings.hpp: what differs between the manifests of several runs.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "value/value.hpp"

namespace broch::runs {

// The values of a manifest that are not lists or objects, as text, by JSON pointer. Without
// log_dir, which always differs.
using Settings = std::map<std::string, std::string>;

Settings settings_of(const value::Value& manifest);
// The pointers at which not all have the same value, sorted.
std::vector<std::string> differing(const std::vector<Settings>& all);

}  // namespace broch::runs
