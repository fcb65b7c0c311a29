// difference.hpp: where two manifests say different things.
#pragma once
#include <string>
#include <vector>

#include "manifest/manifest.hpp"

namespace broch::manifest {

struct Difference {
  std::string pointer;
  const Value* first = nullptr;   // null: not there; owned by the first manifest
  const Value* second = nullptr;  // owned by the second
};

// The innermost values that differ, in the order of the first manifest and then of the second;
// entries of lists are compared by their place. `with_defaults`: also where neither wrote anything,
// as two names that come from those of the files.
std::vector<Difference> differences(const Manifest& first, const Manifest& second,
                                    bool with_defaults);

}  // namespace broch::manifest
