// names.hpp: the names of the room below that this room uses as its own.
#pragma once

namespace broch::runtime {}

namespace broch::tower {
using namespace runtime;
}
