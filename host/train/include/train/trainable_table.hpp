// trainable_table.hpp: the trainable variables as a table for the log.
#pragma once
#include <map>
#include <string>

#include "runtime/variables.hpp"

namespace broch::train {

// Name, shape and number of elements of each trainable variable, and totals; device and dtype only
// if they differ or are not float32. remarks: on updates, by name. "" if there are no such
// variables. Source: tensorpack tfutils/model_utils.py, describe_trainable_vars.
std::string trainable_table(const runtime::VariableStore& variables,
                            const std::map<std::string, std::string>& remarks = {});

}  // namespace broch::train
