// roles.hpp: the roles as C++ objects: a table of a plugin with every call guarded.
//
// Entries that are NULL, lie beyond the struct_size the plugin was compiled with, or answer
// UNIMPLEMENTED without a reason, do what the header's comment says for a missing one. make()
// throws base::Error (Exit::plugin) naming instance, role and entry when the instance does not
// answer the role or a required entry is missing.
#pragma once
#include "abi/roles/callback.hpp"
#include "abi/roles/dataflow.hpp"
#include "abi/roles/function.hpp"
#include "abi/roles/gradient_processor.hpp"
#include "abi/roles/inferencer.hpp"
#include "abi/roles/input_source.hpp"
#include "abi/roles/input_spec.hpp"
#include "abi/roles/model.hpp"
#include "abi/roles/monitor.hpp"
#include "abi/roles/optimizer.hpp"
#include "abi/roles/options.hpp"
#include "abi/roles/service.hpp"
#include "abi/roles/session_init.hpp"
#include "abi/roles/state.hpp"
#include "abi/roles/trainer.hpp"

namespace broch::abi {

// Tables for parents (ext/instance.h): the layout of a role, driven through the guard. self of the
// returned interface is owned by the child's instance. Roles callback, dataflow, input_source,
// monitor, inferencer, function, session_init and broch.state/1; others, and those that the child
// does not play, give an empty interface. Optional entries that the child lacks are NULL. [main]
Interface child_interface(Instance& child, const char* interface_id);

}  // namespace broch::abi
