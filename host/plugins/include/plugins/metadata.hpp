// metadata.hpp: what a library says about its components, parsed strictly.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace broch::plugins {

enum class RunOn { chief, all };

struct Component {
  std::string id;
  std::string role;
  std::string version;
  std::string summary;
  std::string options;             // JSON Schema of the object under "with", as compact JSON text
  std::vector<std::string> roles;  // every role that an instance answers; role among them
  std::vector<std::string> requires_ext;
  std::vector<std::string> produces;  // metric names, {option} where an option's value goes
  bool lists_produced = false;        // "produces" is there, maybe empty: it puts nothing else
  std::vector<std::string> consumes;
  RunOn run_on = RunOn::all;
  std::vector<std::string> needs;  // trainer: of "model" and "input", what a manifest must have
  std::string default_input;       // trainer: id of the input source around "dataflow"; "": any
  std::string requires_input;      // trainer: id of the only input source that it works with
  std::string staged_by;           // input source: id of the one around it with several towers
  bool evaluates = false;          // callback: its trigger evaluates the model, as `eval` does
  std::string reorders;            // dataflow: option that holds the one whose order it changes
  // Roles that this host does not know: the component is listed, and using it is an error.
  std::vector<std::string> unknown_roles;
};

struct Metadata {
  std::vector<Component> components;
  std::string torch;  // build of the LibTorch that the library was built against, "" for none
};

// texts are the objects of one library; their components are joined. Unknown keys other than x-*
// are errors. Throws Error (plugin) that names place and JSON pointer.
Metadata parse_metadata(const std::vector<std::string>& texts, const std::string& place);

// "org.example.stop-on-plateau": at least two labels of a-z, 0-9, '-' and '_', at most 128 bytes.
bool is_component_id(std::string_view text);
// The roles that a component can play, as in sdk/include/broch/role.
const std::vector<std::string>& known_roles();

}  // namespace broch::plugins
