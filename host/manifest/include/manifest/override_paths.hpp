// override_paths.hpp: the places of a manifest that overrides can change, for completion.
#pragma once
#include <string>
#include <vector>

#include "manifest/component.hpp"
#include "manifest/manifest.hpp"

namespace broch::manifest {

// A manifest as overrides see it: merged, with defaults, before ${…} is replaced.
struct Overridable {
  Value value;
  std::vector<std::string> plugins;  // absolute paths of libraries and folders
};
// Ignores overrides that cannot be applied, because they may still be being typed. Throws
// base::Error.
Overridable overridable(const std::string& path, const std::vector<std::string>& overrides,
                        const Surroundings& surroundings = process_surroundings());

struct OverridePath {
  enum class Kind { value, list, entry };  // entry: of a list
  std::string path;                        // "callbacks[NAME].with.max_to_keep"
  Kind kind = Kind::value;
  std::vector<std::string> values{};  // known ones: names of components, keywords, true and false
};
// In the order of the manifest; includes options that are not written. A path of an entry can be
// removed, and what the entry contains can be set; a list can be set and appended to.
std::vector<OverridePath> override_paths(const Value& manifest, const Catalog& catalog);

}  // namespace broch::manifest
