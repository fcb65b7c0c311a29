// schema_words.hpp: what a schema asks for, in words, and how its keywords are read.
#pragma once
#include <string>

#include "manifest/value.hpp"

namespace broch::manifest {

bool is_true(const Value* keyword);
// Does the schema's type, if it has one, allow this value?
bool type_allows(const Value& schema, const Value& value);
// Is "object" or "null" among the types?
bool names_type(const Value& schema, const char* word);
// What the environment gave is text: "32" becomes a number where the schema wants a number.
Value as_wanted(const Value& value, const Value& schema);
// "an integer, at least 0 (seconds)", "one of 'a', 'b'".
std::string expected_by(const Value& schema);
// The description as a hint, or the other text.
std::string described_or(const Value& schema, const std::string& otherwise);

}  // namespace broch::manifest
