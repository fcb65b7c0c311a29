// names.hpp: makes the names of the room runtime usable here without a prefix.
#pragma once

namespace broch::runtime {}

namespace broch::tower {
using namespace runtime;
}
