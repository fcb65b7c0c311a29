// graph_op.hpp: operations over variables that plugins define as objects (ext/graph.h).
#pragma once
#include <string>

#include "broch/ext/graph.h"
#include "runtime/tower.hpp"

namespace broch::runtime {

// The operation behind a handle of this instance, as a tower without inputs and cost whose updates
// are committed together. Throws abi::CallError. Valid as long as the instance.
Tower& graph_operation(abi::Instance& instance, broch_graph_op op);

}  // namespace broch::runtime
