// cut_tables.hpp: extension tables as an older or a newer host would hand them out.
#pragma once
#include <string>
#include <vector>

#include "watch.hpp"

namespace broch::check {

// A size that the table of an extension had once.
struct OlderSize {
  const char* id;
  size_t size;
};
const std::vector<OlderSize>& older_sizes();

// The table of that extension ends there; what lies behind it ends the process, by name.
Watch::Filter cut_table(const OlderSize& older);
// All tables say that they are longer than this host's headers know.
Watch::Filter longer_tables();

}  // namespace broch::check
