// extends.hpp: merges a manifest with the files that it extends.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "manifest/names.hpp"
#include "value/json.hpp"
#include "value/value.hpp"

namespace broch::manifest {

using ReadSource = std::function<std::shared_ptr<const Source>(const std::string& path)>;

struct Composed {
  Value value;                                          // without "extends"
  std::vector<std::shared_ptr<const Source>> extended;  // each file once, in order of reading
};

// The limits of a file with this name. What a run writes, with all defaults, may be much larger
// than what people write.
Limits limits_of(const std::string& path);

// Parses the manifest and merges it over the files that "extends" names, in order; these may
// extend others. Throws (manifest) for a circle, for more than 8 levels or 64 files, and for files
// that are no manifests. An error of `read` is extended by the chain of files that led to it.
Composed compose(const std::shared_ptr<const Source>& source, const ReadSource& read);

}  // namespace broch::manifest
