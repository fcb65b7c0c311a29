// extensions.hpp: the extension tables of this room. They work without any object of a run.
#pragma once
#include "abi/context.hpp"

namespace broch::abi {

// Registers broch.config/1, broch.scope/1, broch.instance/1, broch.profile/1 and broch.rng/1.
void register_extensions(Context& context);

}  // namespace broch::abi
