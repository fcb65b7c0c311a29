// extensions.hpp: the extension tables that instances need whatever the host does.
#pragma once
#include "abi/context.hpp"

namespace broch::abi {

// broch.config/1, broch.scope/1, broch.instance/1.
void register_extensions(Context& context);

}  // namespace broch::abi
