// operator_options.cpp: reads an operator call from a manifest entry.
#include "operator_options.hpp"

namespace broch::optimizer {

namespace {

using Place = OperatorCall::Place;

OperatorCall::Argument argument_of(const nlohmann::json& value, const JsonOptions& with,
                                   bool variable_only) {
  if (value.is_null()) return Place::none;
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<int64_t>();
  if (value.is_number()) return value.get<double>();
  if (value == "$variable") return Place::variable;
  if (value == "$gradient" && !variable_only) return Place::gradient;
  with.refuse("arguments", variable_only
                               ? "numbers, booleans, null and \"$variable\""
                               : "numbers, booleans, null, \"$gradient\" and \"$variable\"");
}

}  // namespace

OperatorCall read_operator(JsonOptions& with, bool variable_only) {
  OperatorCall call;
  call.schema = with.text("operator").value_or("");
  if (call.schema.empty())
    with.refuse("operator",
                "the schema of an operator, such as \"aten::clamp(Tensor self, Scalar? "
                "min=None, Scalar? max=None) -> Tensor\"");
  for (const nlohmann::json& value : with.list("arguments").value_or(std::vector<nlohmann::json>()))
    call.arguments.push_back(argument_of(value, with, variable_only));
  const Place needed = variable_only ? Place::variable : Place::gradient;
  if (!call.takes(needed))
    with.refuse("arguments", std::string("a list that contains ") +
                                 (variable_only ? "\"$variable\"" : "\"$gradient\""));
  return call;
}

nlohmann::json operator_schema(bool variable_only) {
  return {{"operator",
           {{"type", "string"},
            {"minLength", 1},
            {"description", "schema of the operator, as LibTorch prints it"}}},
          {"arguments",
           {{"type", "array"},
            {"items", {{"type", {"number", "boolean", "null", "string"}}}},
            {"description",
             variable_only
                 ? "arguments of the operator, in order; \"$variable\" stands for the variable"
                 : "arguments of the operator, in order; \"$gradient\" stands for the gradient, "
                   "\"$variable\" for its variable"}}}};
}

}  // namespace broch::optimizer
