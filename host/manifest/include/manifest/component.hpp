// component.hpp: component entries, {"use": id, "with": {options}, "name", "when", "run_on"}.
//
// An entry may also be a bare string, which means "use", or {"ref": name}, which refers to the
// instance of that name. A "use" without a dot means broch.<role>.<use>. "when" is an
// abbreviation: the entry becomes the option "callback" of the component that
// plugins/defaults.json names for it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "manifest/names.hpp"
#include "value/fault.hpp"
#include "value/value.hpp"

namespace broch::manifest {

// The installed components. The caller implements it.
class Catalog {
 public:
  struct Kind {
    std::vector<std::string> roles;    // every role that its instances can have
    Value options;                     // schema of "with"; passed check_schema
    std::string summary{};             // one line for people
    std::vector<std::string> needs{};  // of a trainer: "model", "input"
  };
  virtual ~Catalog() = default;
  // nullptr if nothing provides the id. Valid as long as the catalog.
  virtual const Kind* find(const std::string& id) const = 0;
  virtual std::vector<std::string> ids() const = 0;
};

// Like catalog.find, but also nullptr if the component's schema is invalid.
const Catalog::Kind* find_valid(const Catalog& catalog, const std::string& id);

struct Component {
  std::string use;         // full id; empty for a reference
  std::string ref;         // name of the instance referred to; empty for other entries
  std::string role;        // that the place in the manifest requires
  std::string name;        // of the instance; empty if not given
  std::string run_on;      // "chief", "all", or empty for the component's own default
  std::string pointer;     // where it was written in the manifest: "/callbacks/0"
  std::string slot;        // place in the parent's options: "/inferencers/0"; empty at the top
  Value entry;             // the whole entry, with the full id; "with" has the children
  bool same_seed = false;  // on all ranks
  std::vector<Component> children;  // set by resolve_component, in order of appearance

  bool is_reference() const { return !ref.empty(); }
  const Value& with() const;  // the options; an empty object for a reference
};

// JSON Schema of an entry of any role, without the options of the component.
const Value& entry_schema();

// "broch.callback.NAME" for role callback and "NAME"; full ids do not change.
std::string full_id(std::string_view use, std::string_view role);
// "NAME" for "broch.callback.NAME".
std::string_view last_word(std::string_view id);

// If the program made this entry around one from the manifest ("when", or the input source around
// a dataflow): the option that holds the inner entry. Else nullptr.
const char* wrapped_option(const Component& component);
// If component is the callback that "when" stands for, made by the program or written out, and has
// no name: the callback that it triggers, unless that is a reference. Else nullptr.
const Component* triggered_by_when(const Component& component);
// Where an option was written: "/callbacks/0/with/max_to_keep", or
// "/callbacks/0/when/every_k_epochs". pointer: in the options. For an entry that the program made,
// the place is that of the inner entry.
std::string option_pointer(const Component& component, const std::string& pointer);

// Checks the form of an entry and expands it; ignores the options.
Component read_component(const Value& entry, const std::string& role, const std::string& pointer,
                         Faults& faults);

// Also looks up the component (a missing one is an error of class plugin), checks its options and
// fills in defaults; then does the same for its children. Functions given as text remain text.
Component resolve_component(const Value& entry, const std::string& role, const Catalog& catalog,
                            const std::string& pointer, Faults& faults);
// The same for a single entry. Throws the faults.
Component resolve_component(const Value& entry, const std::string& role, const Catalog& catalog,
                            const std::string& pointer = "");

}  // namespace broch::manifest
