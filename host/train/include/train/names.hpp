// names.hpp: makes the names of three rooms usable here without a prefix.
#pragma once

namespace broch::monitors {}
namespace broch::optimizer {}
namespace broch::plan {}

namespace broch::train {
using namespace monitors;
using namespace optimizer;
using namespace plan;
}  // namespace broch::train
