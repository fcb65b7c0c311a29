// extensions.hpp: the extension tables that the runtime serves.
#pragma once
#include "abi/context.hpp"

namespace broch::runtime {

// broch.data/1, broch.device/1. REQUIRES: the context provides Backend before a plugin calls
// broch.device/1; without it the functions answer FAILED_PRECONDITION.
void register_extensions(abi::Context& context);

}  // namespace broch::runtime
