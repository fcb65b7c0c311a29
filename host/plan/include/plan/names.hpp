// names.hpp: the names of the room below that this room uses as its own.
#pragma once

namespace broch::optimizer {}

namespace broch::plan {
using namespace optimizer;
}
