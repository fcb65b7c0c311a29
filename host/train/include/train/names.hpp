// names.hpp: makes the names of two rooms usable here without a prefix.
#pragma once

namespace broch::optimizer {}
namespace broch::plan {}

namespace broch::train {
using namespace optimizer;
using namespace plan;
}  // namespace broch::train
