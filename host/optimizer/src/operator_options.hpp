// operator_options.hpp: the options "operator" and "arguments" of an entry.
#pragma once
#include "optimizer/operator_call.hpp"
#include "option_schema.hpp"
#include "options.hpp"

namespace broch::optimizer {

// variable_only: "$gradient" is not allowed as an argument. Throws base::Error that names the
// option.
OperatorCall read_operator(Options& with, bool variable_only);

// The schemas of "operator" and "arguments".
Properties operator_properties(bool variable_only);

}  // namespace broch::optimizer
