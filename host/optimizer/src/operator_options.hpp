// operator_options.hpp: "operator" and "arguments" of an entry.
#pragma once
#include "optimizer/json_options.hpp"
#include "optimizer/operator_call.hpp"

namespace broch::optimizer {

// variable_only: "$gradient" is no argument here. Throws base::Error naming the option.
OperatorCall read_operator(JsonOptions& with, bool variable_only);

// Their part of a schema: the properties "operator" and "arguments".
nlohmann::json operator_schema(bool variable_only);

}  // namespace broch::optimizer
