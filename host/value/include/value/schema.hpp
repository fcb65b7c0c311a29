// schema.hpp: checks values against a JSON Schema and fills in its defaults.
//
// The schemas of options use this subset of draft 7:
//   type (a word or a list of words), enum, const, default, description
//   oneOf, anyOf  instead of all others except default and description. If all branches that are
//                 objects have a property with a const under one key, its value tells them apart
//   definitions   schemas by name, for x-broch-ref
//   numbers   minimum, maximum, exclusiveMinimum, exclusiveMaximum
//   strings   minLength, maxLength, pattern (ECMAScript, for strings of at most 1,024 bytes)
//   lists     items (one schema), minItems, maxItems
//   objects   properties, required, additionalProperties
//   ours      x-broch-ref: "#/…/definitions/name"   in place of the schema of a property, of items
//                                           or of additionalProperties: the schema at that place,
//                                           which has no x-broch-ref itself
//             x-broch-component: "<role>"   a component entry, a name or {"ref": name}
//             x-broch-same-seed: true       next to it: the component, and those inside it, get
//                                           the same seed on all ranks
//             x-broch-function: true        an expression, or a component of role function
//             x-broch-path: true            a path, made absolute: relative to the folder of the
//                                           file that contains it, else to the working directory
//             x-broch-mutable: true         may change during a run (mutable_options)
//             x-broch-unit: "seconds"       for people, not checked
// It is stricter than draft 7 in one point: an object whose schema has properties, or type object,
// may have no other key unless additionalProperties allows it. Keys that begin with x- are notes
// and are allowed everywhere.
#pragma once
#include <string>
#include <vector>

#include "value/fault.hpp"
#include "value/value.hpp"

namespace broch::value {

// A value other than null at x-broch-component, or an object at x-broch-function.
struct ChildSlot {
  std::string pointer;  // in the checked value
  std::string role;
  bool same_seed = false;
};

struct Checked {
  Value value;  // with defaults, absolute paths, and 3 instead of 3.0 for integers
  std::vector<ChildSlot> children;  // their contents are not checked
};

// Adds one fault for each mistake, at the innermost value. owner: names the schema in the origin
// of defaults ("default of broch.callback.NAME.max_to_keep"). pointer: of the value in the
// manifest. REQUIRES: the schema passed check_schema.
Checked check_value(const Value& value, const Value& schema, const std::string& owner,
                    const std::string& pointer, Faults& faults);

// The same by a part of a schema. root: the whole one, which the part's x-broch-ref mean.
Checked check_part(const Value& value, const Value& schema, const Value& root,
                   const std::string& owner, const std::string& pointer, Faults& faults);

// JSON pointers of the options that may change during a run, including those in nested objects.
std::vector<std::string> mutable_options(const Value& schema);

// Checks that this is a schema of the subset with valid defaults, whose limits are about the types
// beside them and whose required keys can be given. The faults have the exit code.
void check_schema(const Value& schema, base::Exit exit, Faults& faults);

}  // namespace broch::value
