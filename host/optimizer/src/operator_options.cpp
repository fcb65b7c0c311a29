// operator_options.cpp: reads an operator call from a manifest entry.
#include "operator_options.hpp"

namespace broch::optimizer {

namespace {

using value::Value;
using Place = OperatorCall::Place;

OperatorCall::Argument argument_of(const Value& value, const Options& with, bool variable_only) {
  const auto is_text = [&](const char* text) {
    return value.is(Value::Kind::string) && value.string() == text;
  };
  if (value.is_null()) return Place::none;
  if (value.is(Value::Kind::boolean)) return value.boolean();
  if (value.is(Value::Kind::integer)) return value.integer();
  if (value.is(Value::Kind::real)) return value.number();
  if (is_text("$variable")) return Place::variable;
  if (is_text("$gradient") && !variable_only) return Place::gradient;
  with.refuse("arguments", variable_only
                               ? "numbers, booleans, null and \"$variable\""
                               : "numbers, booleans, null, \"$gradient\" and \"$variable\"");
}

}  // namespace

OperatorCall read_operator(Options& with, bool variable_only) {
  OperatorCall call;
  call.schema = with.text("operator").value_or("");
  if (call.schema.empty())
    with.refuse("operator",
                "the schema of an operator, such as \"aten::clamp(Tensor self, Scalar? "
                "min=None, Scalar? max=None) -> Tensor\"");
  for (const Entry& argument : with.list("arguments"))
    call.arguments.push_back(argument_of(argument.value, with, variable_only));
  const Place needed = variable_only ? Place::variable : Place::gradient;
  if (!call.takes(needed))
    with.refuse("arguments", std::string("a list that contains ") +
                                 (variable_only ? "\"$variable\"" : "\"$gradient\""));
  return call;
}

Properties operator_properties(bool variable_only) {
  const std::string places =
      variable_only ? R"(\"$variable\" stands for the variable)"
                    : R"(\"$gradient\" stands for the gradient, \"$variable\" for its variable)";
  return properties(R"({
    "arguments": {"description": "arguments of the operator, in order; )" +
                    places + R"(",
                  "items": {"type": ["number", "boolean", "null", "string"]},
                  "type": "array"},
    "operator": {"description": "schema of the operator, as LibTorch prints it",
                 "minLength": 1, "type": "string"}
  })");
}

}  // namespace broch::optimizer
