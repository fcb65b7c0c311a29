// component.hpp: {"use": id, "with": {options}, "name", "when", "run_on"} and its resolution.
//
// An entry may also be a bare string, which stands for "use", or {"ref": name}, which stands for
// the instance of that name. A use without a dot means broch.<role>.<use>. "when" is sugar: the
// entry becomes the option "callback" of the component that plugins/defaults.json names for it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "manifest/fault.hpp"
#include "manifest/value.hpp"

namespace broch::manifest {

// What is known of the installed components. The caller implements it.
class Catalog {
 public:
  struct Kind {
    std::vector<std::string> roles;    // every role its instances answer
    Value options;                     // schema of "with"; passed check_schema
    std::string summary{};             // one line for people
    std::vector<std::string> needs{};  // of a trainer: "model", "input"
  };
  virtual ~Catalog() = default;
  // Null when nothing offers the id; valid as long as the catalog.
  virtual const Kind* find(const std::string& id) const = 0;
  virtual std::vector<std::string> ids() const = 0;
};

struct Component {
  std::string use;         // full id; empty for a reference
  std::string ref;         // name of another instance; empty for an entry of its own
  std::string role;        // of the slot
  std::string name;        // of the instance; empty when not given
  std::string run_on;      // "chief", "all", or empty for the component's own default
  std::string pointer;     // in the manifest, as it was written: "/callbacks/0"
  std::string slot;        // in the parent's options: "/inferencers/0"; empty at the top
  Value entry;             // the whole, as an object with full id; children are inside "with"
  bool same_seed = false;  // on all ranks
  std::vector<Component> children;  // filled by resolve_component, in order of appearance

  bool is_reference() const { return !ref.empty(); }
  const Value& with() const;  // the options; an empty object for a reference
};

// JSON Schema of an entry of any role, without what a component says of its options.
const Value& entry_schema();

// "broch.callback.model-saver" of role callback and "model-saver"; full ids stay.
std::string full_id(std::string_view use, std::string_view role);
// "model-saver" of "broch.callback.model-saver".
std::string_view last_word(std::string_view id);

// The option that holds what was written, when the program put this entry around it ("when", the
// input source around a dataflow); else null.
const char* wrapped_option(const Component& component);
// Where an option was written, by its pointer in the options: "/callbacks/0/with/max_to_keep", or
// "/callbacks/0/when/every_k_epochs". What an entry of the program is around has its place.
std::string option_pointer(const Component& component, const std::string& pointer);

// Checks the form of an entry and expands it; options are not looked at.
Component read_component(const Value& entry, const std::string& role, const std::string& pointer,
                         Faults& faults);

// Also looks the component up (a missing one is an error of class plugin), checks its options and
// fills in defaults, and does the same for its children. Functions given as text stay text.
Component resolve_component(const Value& entry, const std::string& role, const Catalog& catalog,
                            const std::string& pointer, Faults& faults);
// The same, for one entry alone: throws what is wrong.
Component resolve_component(const Value& entry, const std::string& role, const Catalog& catalog,
                            const std::string& pointer = "");

}  // namespace broch::manifest
