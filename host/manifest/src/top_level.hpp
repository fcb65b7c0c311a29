// top_level.hpp: the keys of a manifest: schema, slots, defaults that a schema cannot say.
#pragma once
#include <string>
#include <vector>

#include "manifest/fault.hpp"
#include "manifest/value.hpp"

namespace broch::manifest {

// Schema of the whole, with all defaults.
const Value& top_level_schema();

// The keys whose values are component entries, or lists of them.
std::vector<std::string> component_keys();

// Why a key is refused that people may know from elsewhere, or null.
const char* why_refused(const std::string& key);
// Throws if the text is no manifest of this format: no object, no or another version, refused keys.
void require_format(const Value& manifest);
// Throws if "vars" is there and no object; after overrides as well, since substitution takes it out
// before the schema is asked.
void require_vars(const Value& manifest);

// Before overrides: fills in what is not written, so that overrides have something to hit.
void expand_defaults(Value& manifest, const std::string& file_stem);
// After overrides and substitution: what follows from other values (log_dir from name), and what
// both spellings of a list or a number come to.
void settle_defaults(Value& manifest);
// What no schema can say: keys that exclude each other.
void check_together(const Value& manifest, Faults& faults);

}  // namespace broch::manifest
