// extensions.hpp: the extension tables with which plugins compute.
#pragma once
#include "abi/context.hpp"

namespace broch::runtime {
class Backend;
}

namespace broch::tower {

// Adds broch.tensor/1, ops/1, autograd/1, kernel/1, tower/1, variables/1, hyper_param/1 and
// summary/1 to the context. REQUIRES: the context provides Backend, VariableStore, HyperParams and
// RunContext before a plugin calls a function of these tables. Without them the functions return
// FAILED_PRECONDITION.
void register_extensions(abi::Context& context);
// Adds broch.torch_cxx for the backend's build of LibTorch. Does nothing for other backends.
void register_torch_cxx(abi::Context& context, const runtime::Backend& backend);

}  // namespace broch::tower
