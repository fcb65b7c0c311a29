// reference.hpp: describes the keys of a manifest for people, from the schemas that check them.
#pragma once
#include <string>
#include <vector>

namespace broch::manifest {

struct KeyReference {
  std::string key;          // "runtime.level"
  std::string kind;         // "an integer, at least 0"
  std::string initial;      // the default as JSON, "required", or "": none
  std::string description;  // "seed of all random numbers"
};

std::vector<KeyReference> manifest_keys();
// The keys of a component entry.
std::vector<KeyReference> entry_keys();

}  // namespace broch::manifest
