// names.hpp: makes the names of the room optimizer usable here without a prefix.
#pragma once

namespace broch::optimizer {}

namespace broch::plan {
using namespace optimizer;
}
