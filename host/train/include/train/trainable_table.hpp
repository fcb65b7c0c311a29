// trainable_table.hpp: what will be trained, as a table for the log.
#pragma once
#include <string>

#include "runtime/variables.hpp"

namespace broch::train {

// Name, shape and number of elements of each trainable variable, device and dtype where they differ
// (or dtype is not float32), and the totals. "" when there are none. Source: tensorpack
// tfutils/model_utils.py, describe_trainable_vars.
std::string trainable_table(const runtime::VariableStore& variables);

}  // namespace broch::train
