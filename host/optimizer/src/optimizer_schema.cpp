// optimizer_schema.cpp: JSON Schemas for the options of rules and wrappers.
#include <limits>

#include "base/text.hpp"
#include "optimizer/optimizer_spec.hpp"
#include "wrappers.hpp"

namespace broch::optimizer {
namespace {

using nlohmann::json;

json schema_of(const runtime::RuleNumber& field) {
  json property = {{"type", "number"}, {"minimum", 0}, {"description", field.description}};
  if (field.below != std::numeric_limits<double>::infinity())
    property["exclusiveMaximum"] = field.below;
  if (field.initial_tf1)
    property["description"] = std::string(field.description) + "; " +
                              base::shortest(*field.initial) + ", or " +
                              base::shortest(*field.initial_tf1) + " if the rule is tf1";
  else if (field.initial)
    property["default"] = *field.initial;
  return property;
}

json object_schema(json properties, const json& required) {
  json schema = {
      {"type", "object"}, {"additionalProperties", false}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

json schema_of(const runtime::UpdateRule& rule) {
  json properties = json::object(), required = json::array();
  for (const runtime::RuleNumber& field : rule.numbers) {
    properties[field.name] = schema_of(field);
    if (!field.initial) required.push_back(field.name);
  }
  for (const runtime::RuleFlag& field : rule.flags)
    properties[field.name] = {
        {"type", "boolean"}, {"default", false}, {"description", field.description}};
  if (rule.has_tf1)
    properties["rule"] = {
        {"enum", {"torch", "tf1"}},
        {"default", "torch"},
        {"description", "use the arithmetic and defaults of torch.optim or of TensorFlow 1"}};
  return object_schema(properties, required);
}

}  // namespace

std::vector<BuiltIn> built_in_optimizers() {
  std::vector<BuiltIn> all;
  for (const runtime::UpdateRule& rule : runtime::update_rules())
    all.push_back({optimizer_id(rule.name), "optimizer", rule.summary, schema_of(rule).dump()});
  for (const Wrapper& wrapper : wrappers())
    all.push_back({optimizer_id(wrapper.name), "optimizer", wrapper.summary,
                   object_schema(wrapper.properties, wrapper.required).dump()});
  return all;
}

}  // namespace broch::optimizer
