// reference.hpp: describes the keys of a manifest for people, from the schemas that check them.
#pragma once
#include <string>
#include <vector>

namespace broch::manifest {

struct KeyReference {
  std::string key;          // "runtime.level"
  std::string kind;         // "an integer, at least 0"
  std::string initial;      // the default as JSON, "required", or "" if there is none
  std::string description;  // "root of all random draws"
};

std::vector<KeyReference> manifest_keys();
// The keys of a component entry.
std::vector<KeyReference> entry_keys();

}  // namespace broch::manifest
