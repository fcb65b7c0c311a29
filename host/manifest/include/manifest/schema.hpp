// schema.hpp: checks values against a JSON Schema and fills in its defaults.
//
// The subset of draft 7 that options are described in:
//   type (a word or a list of words), enum, const, default, description
//   oneOf, anyOf  in place of all but default and description
//   numbers   minimum, maximum, exclusiveMinimum, exclusiveMaximum
//   strings   minLength, maxLength, pattern (ECMAScript, for strings of at most 1,024 bytes)
//   lists     items (one schema), minItems, maxItems
//   objects   properties, required, additionalProperties
//   ours      x-broch-component: "<role>"   a component entry, a name or {"ref": name}
//             x-broch-same-seed: true       beside it: the component, and those inside it, are
//             seeded
//                                           alike on all ranks
//             x-broch-function: true        an expression, or a component of role function
//             x-broch-path: true            a path, made absolute: relative to the folder of the
//                                           file it stands in, else to the working directory
//             x-broch-mutable: true   may change in a run (mutable_options)
//             x-broch-unit: "seconds"   carried, not checked
// Stricter than draft 7 in one point: an object whose schema names properties, or says type object,
// takes no other key unless additionalProperties allows it. Keys that begin with x- are notes and
// are allowed everywhere.
#pragma once
#include <string>
#include <vector>

#include "manifest/fault.hpp"
#include "manifest/value.hpp"

namespace broch::manifest {

// A place where x-broch-component (or an object for x-broch-function) met a value that is not null.
struct ChildSlot {
  std::string pointer;  // from the checked value
  std::string role;
  bool same_seed = false;
};

struct Checked {
  Value value;  // with defaults, absolute paths, and 3.0 turned into 3 where an integer is wanted
  std::vector<ChildSlot> children;  // their contents are left as they are
};

// One fault for each thing that is wrong, at the innermost value. `owner` names the schema in the
// origin of defaults ("default of broch.callback.model-saver.max_to_keep"); `pointer` is where the
// value stands in the manifest. REQUIRES: a schema that passed check_schema.
Checked check_value(const Value& value, const Value& schema, const std::string& owner,
                    const std::string& pointer, Faults& faults);

// JSON pointers of what may change in a run, objects inside objects included.
std::vector<std::string> mutable_options(const Value& schema);

// Is this a schema of the subset, with defaults that fit it? Faults carry the exit code.
void check_schema(const Value& schema, base::Exit exit, Faults& faults);

}  // namespace broch::manifest
