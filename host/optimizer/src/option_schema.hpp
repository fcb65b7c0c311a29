// option_schema.hpp: makes the JSON Schemas of options.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "value/value.hpp"

namespace broch::optimizer {

// The schema of each option, by name.
using Properties = std::map<std::string, value::Value>;

// json: {"regex": {"type": "string"}, …}
Properties properties(const std::string& json);
// The text of a schema for objects with these options and no others.
std::string options_schema(const Properties& properties, const std::vector<std::string>& required);

}  // namespace broch::optimizer
