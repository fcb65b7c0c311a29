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
// The schema's description as a hint, or else the other text.
std::string described_or(const Value& schema, const std::string& otherwise);

}  // namespace broch::value
