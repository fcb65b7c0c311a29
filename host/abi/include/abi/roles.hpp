// roles.hpp: the roles as C++ classes: a plugin's table, with every call guarded.
//
// An entry can be missing in three ways: it is NULL, it lies beyond the struct_size that the plugin
// was compiled with, or it returns UNIMPLEMENTED without a reason. Then the class does what the
// comment in the SDK header says. make() throws base::Error (plugin), which names instance, role
// and entry, if the instance does not play the role or a required entry is missing.
#pragma once
#include "abi/roles/callback.hpp"
#include "abi/roles/dataflow.hpp"
#include "abi/roles/function.hpp"
#include "abi/roles/gradient_processor.hpp"
#include "abi/roles/indexed.hpp"
#include "abi/roles/inferencer.hpp"
#include "abi/roles/input_source.hpp"
#include "abi/roles/input_spec.hpp"
#include "abi/roles/model.hpp"
#include "abi/roles/monitor.hpp"
#include "abi/roles/optimizer.hpp"
#include "abi/roles/options.hpp"
#include "abi/roles/queued_events.hpp"
#include "abi/roles/service.hpp"
#include "abi/roles/session_init.hpp"
#include "abi/roles/sink.hpp"
#include "abi/roles/state.hpp"
#include "abi/roles/trainer.hpp"
#include "abi/roles/transform.hpp"

namespace broch::abi {

// The table through which a parent calls its child (ext/instance.h). It has the layout of a role,
// and its entries go through the guard. The child's instance owns `self` of the result. The
// result is empty for an ID that is not in child_interfaces, and for roles that the child does not
// play. Optional entries that the child does not have are NULL. [main]
Interface child_interface(Instance& child, const char* interface_id);

// The IDs for which there can be such a table.
std::vector<std::string> child_interfaces();

}  // namespace broch::abi
