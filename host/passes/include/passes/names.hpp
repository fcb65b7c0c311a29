// names.hpp: makes the names of the rooms runtime and program available in this room.
#pragma once

namespace broch::runtime {}
namespace broch::program {}

namespace broch::passes {
using namespace runtime;
using namespace program;
}  // namespace broch::passes
