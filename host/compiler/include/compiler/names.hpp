// names.hpp: makes the names of the room runtime available in this room.
#pragma once

namespace broch::runtime {}

namespace broch::compiler {
using namespace runtime;
}
