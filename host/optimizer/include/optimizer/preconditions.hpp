// preconditions.hpp: what can be said of optimizers and gradient processors before a run.
#pragma once
#include <string>

namespace broch::optimizer {

// Whether the host itself offers it: an update rule or a gradient processor.
bool is_built_in(const std::string& id);
// Refuses of an entry what parse_optimizer does, as far as no plugin is asked. place: for messages.
void check_optimizer(const std::string& entry, const std::string& place);
// The same of make_processor.
void check_processor(const std::string& entry, const std::string& place);

}  // namespace broch::optimizer
