// preconditions.hpp: what can be checked of optimizers and gradient processors before a run.
#pragma once
#include <string>

namespace broch::optimizer {

// Whether the id is an update rule or a gradient processor of the host.
bool is_built_in(const std::string& id);
// Throws like parse_optimizer, but only for what can be checked without a plugin. where: for
// messages.
void check_optimizer(const std::string& entry, const std::string& where);
// The same for make_processor.
void check_processor(const std::string& entry, const std::string& where);

}  // namespace broch::optimizer
