// names.hpp: makes the names of the room value usable here without a prefix.
#pragma once

namespace broch::value {}

namespace broch::manifest {
using namespace value;
}
