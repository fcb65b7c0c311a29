// preconditions.hpp: what can be checked of optimizers and gradient processors before a run.
#pragma once
#include <string>

#include "optimizer/entry.hpp"

namespace broch::optimizer {

// Whether the id is an update rule or a gradient processor of the host.
bool is_built_in(const std::string& id);
// Throws like read_optimizer, but only for what can be checked without a plugin.
void check_optimizer(const Entry& entry);
// The same for make_processor.
void check_processor(const Entry& entry);

}  // namespace broch::optimizer
