// variable_group_options.hpp: groups of variables as options.
#pragma once
#include "optimizer/variable_groups.hpp"
#include "option_schema.hpp"
#include "options.hpp"

namespace broch::optimizer {

// Reads "groups" and adds them.
void read_variable_groups(VariableGroups& groups, Options& with);
Properties variable_group_properties();

}  // namespace broch::optimizer
