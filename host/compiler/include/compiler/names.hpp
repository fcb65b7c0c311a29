// names.hpp: makes the names of the rooms runtime, program and passes available in this room.
#pragma once

namespace broch::runtime {}
namespace broch::program {}
namespace broch::passes {}

namespace broch::compiler {
using namespace runtime;
using namespace program;
using namespace passes;
}  // namespace broch::compiler
