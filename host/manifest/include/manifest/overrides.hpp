// overrides.hpp: changes to a manifest from the command line.
//
//   trainer.use=simple                       sets a value
//   callbacks[NAME].with.max_to_keep=3
//   ~extra_callbacks[NAME]                   removes an entry or a key
//   +callbacks={"use": "NAME"}               appends to a list
//
// A path consists of keys joined by dots. An entry of a list is selected in brackets: by its index
// from 0, by its "name", or else by its "use" or the last word of it. A key that contains dots is
// written ["a.b"]. The value is JSON, or else a string. Paths refer to the manifest with defaults
// filled in. Settings are applied first, the shortest paths first, then additions, then removals,
// in whatever order they are given, so that indices of lists stay valid. A path must exist. Only a
// component entry ("name", "when") and its options can get new keys, which the component's schema
// checks later. Two changes of one place are an error, and so is a change inside what is removed.
// Overrides are applied after the merging of "extends" and before ${…} is replaced, so that
// vars.batch=64 has an effect wherever it is used, and a value may contain ${…} itself.
#pragma once
#include <string>
#include <vector>

#include "manifest/names.hpp"
#include "value/fault.hpp"
#include "value/value.hpp"

namespace broch::manifest {

// Reads the value of an override: JSON, or else a string.
Value read_override_value(const std::string& text, const Origin& origin);

// Throws at the first wrong override.
void apply_overrides(Value& manifest, const std::vector<std::string>& overrides);

}  // namespace broch::manifest
