// extends.hpp: a manifest together with those that it extends.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "manifest/json.hpp"
#include "manifest/value.hpp"

namespace broch::manifest {

using ReadSource = std::function<std::shared_ptr<const Source>(const std::string& path)>;

struct Composed {
  Value value;                                          // without "extends"
  std::vector<std::shared_ptr<const Source>> extended;  // each file once, in order of reading
};

// Parses the manifest and lays it over those that "extends" names, in their order; each of them may
// extend others. Throws (manifest) for a circle, for more than 8 levels or 64 files, and for what
// is no manifest; what reading throws says which file asked for it.
Composed compose(const std::shared_ptr<const Source>& source, const ReadSource& read);

}  // namespace broch::manifest
