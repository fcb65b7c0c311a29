// metadata.hpp: the metadata of a library, which describes its components; parsed strictly.
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
  std::string options;             // JSON Schema for the object under "with", as compact text
  std::vector<std::string> roles;  // every role that an instance plays, including role
  std::vector<std::string> requires_ext;
  std::vector<std::string> produces;  // metric names; {option} stands for the option's value
  // "produces" is present, maybe empty: there are no other metrics.
  bool lists_produced = false;
  std::vector<std::string> consumes;
  RunOn run_on = RunOn::all;
  std::vector<std::string> needs;  // trainer: of "model" and "input", what a manifest must have
  std::string default_input;       // trainer: id of the input source around "dataflow"; "": any
  std::string requires_input;      // trainer: id of the only input source that it works with
  std::string staged_by;           // input source: id of the one around it with several towers
  bool evaluates = false;          // callback: its trigger evaluates the model, as `eval` does
  std::string metric_prefix;       // callback: stands before the metrics of components inside it
  std::string triggers_at_end;     // callback: boolean option; true: triggered at the end, too
  bool check_creates = false;      // model: `broch check` creates it, to see whether that works
  std::string reorders;            // dataflow: option that holds the one whose order it changes
  std::vector<std::string> extensions;  // sink: of the files that it writes, such as ".npz"
  // Roles that this host does not know. Such a component is listed, but cannot be used.
  std::vector<std::string> unknown_roles;
};

struct Metadata {
  std::vector<Component> components;
  std::string torch;  // build of LibTorch that the library was compiled with, or ""
};

// texts: the JSON objects of one library; the result has the components of all. Keys that are
// neither known nor begin with x- are errors. Throws Error (plugin) that names where and the
// JSON pointer.
Metadata parse_metadata(const std::vector<std::string>& texts, const std::string& where);

// For example "org.example.stop-on-plateau": at least two labels of a-z, 0-9, '-' and '_',
// separated by dots; at most 128 bytes.
bool is_component_id(std::string_view text);
// All roles of components, as in sdk/include/broch/role.
const std::vector<std::string>& known_roles();

}  // namespace broch::plugins
