// extensions.hpp: the extension tables that the runtime serves.
#pragma once
#include "abi/context.hpp"

namespace broch::runtime {

class Backend;

// broch.tensor/1, data/1, ops/1, autograd/1, tower/1, variables/1, hyper/1, summary/1, graph/1.
// REQUIRES: the context provides Backend, VariableStore, HyperParams and RunContext before a plugin
// calls one; without them the functions answer FAILED_PRECONDITION.
void register_extensions(abi::Context& context);
// broch.torch-cxx of the build that the backend runs on, if any.
void register_torch_cxx(abi::Context& context, const Backend& backend);

}  // namespace broch::runtime
