// top_level.hpp: the keys of a manifest: schema, component slots, computed defaults.
#pragma once
#include <string>
#include <vector>

#include "manifest/names.hpp"
#include "value/fault.hpp"
#include "value/value.hpp"

namespace broch::manifest {

// Schema of the whole, with all defaults.
const Value& top_level_schema();

// The keys whose values are component entries or lists of them.
std::vector<std::string> component_keys();

// Why a key that people may know from other programs is refused; else nullptr.
const char* why_refused(const std::string& key);
// Throws if this is no manifest of this format: not an object, a wrong version, refused keys.
void require_format(const Value& manifest);
// Throws if "vars" is not an object. Also called after overrides, because substitution removes
// "vars" before the schema is checked.
void require_vars(const Value& manifest);

// The default of "name". To be called after overrides, too, which may have removed it.
void fill_in_name(Value& manifest, const std::string& file_stem);
// To be called before overrides: fills in what is not written, so that overrides can change it.
void expand_defaults(Value& manifest, const std::string& file_stem);
// To be called after overrides and substitution: fills in what depends on other values (log_dir on
// name), and converts alternative forms of lists and numbers.
void settle_defaults(Value& manifest);
// What no schema can say: keys that exclude each other.
void check_together(const Value& manifest, Faults& faults);

}  // namespace broch::manifest
