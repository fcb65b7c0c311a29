// concealed.hpp: values as a manifest would contain them, for everything that people see.
#pragma once
#include <string>
#include <string_view>

#include "value/value.hpp"

namespace broch::value {

// What to show and to store in place of a secret: ${env:NAME}; "": the value is no secret.
const std::string& concealed(const Value& value);
// Escapes the text so that a manifest reads it as itself: $${ for ${.
std::string as_literal(std::string_view text);
// The whole value: ${env:NAME} for secrets, $${ for ${.
Value as_manifest(const Value& value);

}  // namespace broch::value
