// overrides.hpp: changes to a manifest from the command line.
//
//   trainer.use=simple                       sets a value
//   callbacks[model-saver].with.max_to_keep=3
//   ~extra_callbacks[progress-bar]           removes an entry or a key
//   +callbacks={"use": "nan-guard"}          appends to a list
//
// A path is keys joined by dots; a list entry is chosen in brackets by its place from 0, by its
// "name", else by its "use" or the last word of it. A key with dots in it is written ["a.b"]. The
// value is JSON, else a string. Paths mean the manifest with its defaults filled in; settings come
// first, then removals, then additions, whatever their order, so that places in a list stay put. A
// path has to hit something: a key that is not there may be made only in a component entry ("name",
// "when") and in its options, which the component's schema judges later. Two changes of one place
// are an error. They come after the merging of "extends" and before ${…} is replaced, so that
// vars.batch=64 reaches every place that uses it, and a value may hold ${…} itself.
#pragma once
#include <string>
#include <vector>

#include "manifest/fault.hpp"
#include "manifest/value.hpp"

namespace broch::manifest {

// The value of an override: JSON, else a string.
Value read_override_value(const std::string& text, const Origin& origin);

// Throws at the first override that is wrong.
void apply_overrides(Value& manifest, const std::vector<std::string>& overrides);

}  // namespace broch::manifest
