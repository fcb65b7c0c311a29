// names.hpp: makes the names of the room tower usable here without a prefix.
#pragma once

namespace broch::tower {}

namespace broch::replay {
using namespace tower;
}
