// extensions.hpp: the extension tables of this room.
#pragma once
#include "abi/context.hpp"

namespace broch::runtime {

// Registers broch.data_point/1 and broch.device/1. Their functions return FAILED_PRECONDITION if
// they need a Backend and the context provides none.
void register_extensions(abi::Context& context);

}  // namespace broch::runtime
