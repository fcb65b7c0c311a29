// variable_group_options.cpp: reads groups of variables from a manifest entry.
#include "variable_group_options.hpp"

#include <cmath>
#include <limits>

namespace broch::optimizer {

namespace {

using value::Value;

NamedNumbers read_factors(Options& with) {
  const std::optional<Entry> given = with.entry("factors");
  if (!given) return {};
  if (!given->value.is(Value::Kind::object)) with.refuse("factors", "an object");
  NamedNumbers factors;
  for (const value::Member& member : given->value.object()) {
    const double factor = member.value.is_number() ? member.value.number() : -1;
    if (!(factor >= 0 && std::isfinite(factor)))
      with.refuse("factors", "finite numbers of at least 0");
    factors.emplace_back(member.key, factor);
  }
  return factors;
}

VariableGroup read_group(const Entry& entry) {
  Options with(entry);
  VariableGroup group{entry, with.filter("variables"), 0, read_factors(with),
                      with.flag("frozen").value_or(false)};
  group.max_dims = with.integer("max_dims").value_or(std::numeric_limits<int64_t>::max());
  if (group.max_dims < 0) with.refuse("max_dims", "a whole number of at least 0");
  if (group.frozen == !group.factors.empty())
    with.refuse("factors", "either factors or \"frozen\": true");
  with.done();
  return group;
}

}  // namespace

void read_variable_groups(VariableGroups& groups, Options& with) {
  const std::vector<Entry> entries = with.list("groups");
  if (entries.empty()) with.refuse("groups", "at least one group");
  for (const Entry& entry : entries) groups.add(read_group(entry));
}

Properties variable_group_properties() {
  return properties(R"({"groups": {
    "description": "groups of variables; all that take a variable count, and factors multiply",
    "items": {
      "additionalProperties": false,
      "properties": {
        "factors": {
          "additionalProperties": {"minimum": 0, "type": "number"},
          "description": "factors for numbers of the rule, such as {\"weight_decay\": 0}",
          "type": "object"
        },
        "frozen": {
          "default": false, "description": "the variables stay as they are and get no gradient",
          "type": "boolean"
        },
        "max_dims": {
          "description":
            "takes variables of at most so many dimensions; 1: biases and scales of norms",
          "minimum": 0, "type": "integer"
        },
        "variables": {
          "default": ".*", "description": "regular expression for whole names", "type": "string"
        }
      },
      "type": "object"
    },
    "minItems": 1, "type": "array"
  }})");
}

}  // namespace broch::optimizer
