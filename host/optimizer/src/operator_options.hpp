// operator_options.hpp: the options "operator" and "arguments" of an entry.
#pragma once
#include "optimizer/json_options.hpp"
#include "optimizer/operator_call.hpp"

namespace broch::optimizer {

// variable_only: "$gradient" is not allowed as an argument. Throws base::Error that names the
// option.
OperatorCall read_operator(JsonOptions& with, bool variable_only);

// The JSON Schema of the properties "operator" and "arguments".
nlohmann::json operator_schema(bool variable_only);

}  // namespace broch::optimizer
