// names.hpp: makes the names of the room runtime available in this room.
#pragma once

namespace broch::runtime {}

namespace broch::program {
using namespace runtime;
}
