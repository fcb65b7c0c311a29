// extensions.hpp: the extension tables with which plugins compute.
#pragma once
#include "abi/context.hpp"

namespace broch::runtime {
class Backend;
}

namespace broch::tower {

// broch.tensor/1, ops/1, autograd/1, kernel/1, tower/1, variables/1, hyper/1, summary/1, graph/1.
// REQUIRES: the context provides Backend, VariableStore, HyperParams and RunContext before a plugin
// calls one; without them the functions answer FAILED_PRECONDITION.
void register_extensions(abi::Context& context);
// broch.torch-cxx of the build that the backend runs on, if any.
void register_torch_cxx(abi::Context& context, const runtime::Backend& backend);

}  // namespace broch::tower
