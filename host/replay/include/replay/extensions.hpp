// extensions.hpp: the extension table of this room.
#pragma once
#include "abi/context.hpp"

namespace broch::replay {

// Registers broch.operation/1. REQUIRES: as for tower::register_extensions.
void register_extensions(abi::Context& context);

}  // namespace broch::replay
