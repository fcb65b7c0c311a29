// schema_words.hpp: reads single keywords of a schema, and describes in words what it requires.
#pragma once
#include <string>

#include "value/value.hpp"

namespace broch::value {

bool is_true(const Value* keyword);
// Whether the schema's type, if it has one, allows this value.
bool type_allows(const Value& schema, const Value& value);
// Whether the word is among the schema's types.
bool names_type(const Value& schema, const char* word);
// Values from the environment are text: converts "32" to a number if the schema requires one.
Value as_wanted(const Value& value, const Value& schema);
// "an integer, at least 0 (seconds)", "one of 'a', 'b'".
std::string expected_by(const Value& schema);
// The type in a schema, the words of an enumeration, or "any": "number or null".
std::string type_in_words(const Value& schema);
// The key whose constants tell those branches apart that are objects, as in
// {"properties": {"kind": {"const": "a"}}}; "" if there is none.
std::string tag_of(const Value::Array& branches);
// The constant of a branch under this key; nullptr: the branch is no object that has it.
const Value* constant_of(const Value& branch, const std::string& tag);
// What a x-broch-ref stands for; any other schema itself. root: the whole schema, which has passed
// check_schema.
const Value& referred(const Value& schema, const Value& root);
// The schema's description as a hint, or else the other text.
std::string described_or(const Value& schema, const std::string& otherwise);

}  // namespace broch::value
