// cut_tables.hpp: extension tables as an older or a newer host would provide them.
#pragma once
#include <string>
#include <vector>

#include "watch.hpp"

namespace broch::check {

// The size that the table of an extension had in an older version.
struct OlderSize {
  const char* id;
  size_t size;
};
const std::vector<OlderSize>& older_sizes();

// Cuts the table of this extension after its older size. Calls of later entries fail the test.
Watch::Filter cut_table(const OlderSize& older);
// All tables claim to be longer than the headers of this host say.
Watch::Filter longer_tables();

}  // namespace broch::check
