// optimizer_schema.cpp: JSON Schemas for the options of rules and wrappers.
#include <limits>

#include "base/text.hpp"
#include "optimizer/optimizer_spec.hpp"
#include "option_schema.hpp"
#include "wrappers.hpp"

namespace broch::optimizer {
namespace {

using value::Value;

Value schema_of(const runtime::RuleNumber& field) {
  Value schema(Value::Object{});
  std::string description = field.description;
  if (field.initial_tf1)
    description += "; " + base::shortest(*field.initial) + ", or " +
                   base::shortest(*field.initial_tf1) + " if the rule is tf1";
  else if (field.initial)
    schema.set("default", Value(*field.initial));
  schema.set("description", Value(std::move(description)));
  if (field.below != std::numeric_limits<double>::infinity())
    schema.set("exclusiveMaximum", Value(field.below));
  schema.set("minimum", Value(int64_t{0}));
  schema.set("type", Value("number"));
  return schema;
}

Value schema_of(const runtime::RuleFlag& field) {
  Value schema(Value::Object{});
  schema.set("default", Value(false));
  schema.set("description", Value(field.description));
  schema.set("type", Value("boolean"));
  return schema;
}

std::string schema_of(const runtime::UpdateRule& rule) {
  Properties all;
  if (rule.has_tf1)
    all = properties(R"({"rule": {
      "default": "torch",
      "description": "use the arithmetic and defaults of torch.optim or of TensorFlow 1",
      "enum": ["torch", "tf1"]
    }})");
  std::vector<std::string> required;
  for (const runtime::RuleNumber& field : rule.numbers) {
    all[field.name] = schema_of(field);
    if (!field.initial) required.emplace_back(field.name);
  }
  for (const runtime::RuleFlag& field : rule.flags) all[field.name] = schema_of(field);
  return options_schema(all, required);
}

}  // namespace

std::vector<BuiltIn> built_in_optimizers() {
  std::vector<BuiltIn> all;
  for (const runtime::UpdateRule& rule : runtime::update_rules())
    all.push_back({optimizer_id(rule.name), "optimizer", rule.summary, schema_of(rule)});
  for (const Wrapper& wrapper : wrappers())
    all.push_back({optimizer_id(wrapper.name), "optimizer", wrapper.summary,
                   options_schema(wrapper.options, wrapper.required)});
  return all;
}

}  // namespace broch::optimizer
