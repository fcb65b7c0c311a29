// difference.hpp: the differences between two manifests.
#pragma once
#include <string>
#include <vector>

#include "manifest/manifest.hpp"

namespace broch::manifest {

struct Difference {
  std::string pointer;
  const Value* first = nullptr;   // nullptr: missing; owned by the first manifest
  const Value* second = nullptr;  // owned by the second manifest
};

// The innermost values that differ, first in the order of the first manifest, then of the second.
// Entries of lists are compared by position. with_defaults: includes values that neither file
// contains, such as names that were made from the file names.
std::vector<Difference> differences(const Manifest& first, const Manifest& second,
                                    bool with_defaults);

}  // namespace broch::manifest
