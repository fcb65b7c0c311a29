// plugin_command.cpp: broch plugin ls and inspect: the installed components, read without loading
// them. broch plugin new is in new_command.cpp.
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "base/log.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "manifest/short_name.hpp"
#include "options.hpp"
#include "output.hpp"
#include "session/installed.hpp"
#include "session/setup.hpp"
#include "value/json.hpp"
#include "value/schema.hpp"
#include "value/schema_words.hpp"

namespace broch::cli {
namespace {

using session::Installed;

constexpr const char* kHost = "the host";

struct PluginOptions {
  std::vector<std::string> plugin_path;
  std::string what;  // id or file
  std::string role;  // for ls; "": all
  bool json = false;
};

std::string file_of(const Installed& entry) { return entry.file ? entry.file->path : kHost; }

void warn_of(const plugins::Catalog& catalog) {
  for (const plugins::Broken& broken : catalog.broken())
    base::warning("cannot be used: " + broken.reason);
  for (const plugins::Shadowed& shadowed : catalog.shadowed())
    base::warning(shadowed.path + ": " + shadowed.id + " is hidden by " + shadowed.by);
}

Value summary_of(const Installed& entry) {
  return object({{"id", text(entry.component.id)},
                 {"role", text(entry.component.role)},
                 {"version", text(entry.component.version)},
                 {"summary", text(entry.component.summary)},
                 {"file", entry.file ? text(entry.file->path) : Value()}});
}

void require_role(const std::string& role) {
  const std::vector<std::string>& known = plugins::known_roles();
  if (role.empty() || std::ranges::find(known, role) != known.end()) return;
  throw base::Error(
      base::Exit::usage,
      {"broch plugin ls: --role", base::quoted(role) + base::did_you_mean(role, known),
       "one of " + base::join(known, ", "), "without --role all are listed"});
}

// The summary. For a component that does not come with Broch, adds its file and version.
std::string about(const Installed& entry) {
  const plugins::Component& component = entry.component;
  if (!entry.file || entry.file->origin == plugins::Origin::installed) return component.summary;
  const std::string file = std::filesystem::path(entry.file->path).filename();
  return component.summary + " (" + file + ", " + component.version + ")";
}

int ls(const PluginOptions& options) {
  require_role(options.role);
  const auto catalog = session::open_catalog({}, options.plugin_path);
  warn_of(*catalog);
  Value::Array components;
  Table table({"use", "role", "summary"});
  for (const Installed& entry : session::installed(*catalog)) {
    const plugins::Component& component = entry.component;
    if (!options.role.empty() && !std::ranges::count(component.roles, options.role)) continue;
    components.push_back(summary_of(entry));
    table.add({manifest::short_name(component.id, component.role), component.role, about(entry)});
  }
  options.json ? print_json(object({{"components", Value(std::move(components))}}))
               : table.print_wrapped();
  return 0;
}

Value options_of(const plugins::Component& component) {
  return component.options.empty()
             ? Value(Value::Object{})
             : manifest::parse_text("options of " + component.id, component.options);
}

void print_options(const Value& schema) {
  const Value* properties = schema.find("properties");
  if (!properties || properties->object().empty()) return void(std::cout << "no options\n");
  std::vector<std::string> required;
  if (const Value* names = schema.find("required"))
    for (const Value& name : names->array()) required.push_back(name.string());
  const std::vector<std::string> settable = manifest::mutable_options(schema);
  const auto may_change = [&](const std::string& key) {
    return std::ranges::find(settable, manifest::child_pointer("", key)) != settable.end();
  };
  Table table({"option", "type", "default", "description"});
  for (const manifest::Member& option : properties->object()) {
    const Value* initial = option.value.find("default");
    const Value* description = option.value.find("description");
    const bool must = std::find(required.begin(), required.end(), option.key) != required.end();
    table.add({option.key, value::type_in_words(option.value),
               initial ? manifest::to_text(*initial)
               : must  ? "(required)"
                       : "",
               (description ? description->string() : "") +
                   (may_change(option.key) ? " Can be changed during a run." : "")});
  }
  table.print_wrapped();
}

void print_entry(const Installed& entry) {
  const plugins::Component& component = entry.component;
  std::cout << component.id << ' ' << component.version << "\n  " << component.summary
            << "\nroles: " << base::join(component.roles, ", ")
            << "\nrun_on: " << (component.run_on == plugins::RunOn::chief ? "chief" : "all");
  const auto line = [](const char* word, const std::vector<std::string>& names) {
    if (!names.empty()) std::cout << '\n' << word << ": " << base::join(names, ", ");
  };
  line("needs extensions", component.requires_ext);
  line("produces", component.produces);
  line("consumes", component.consumes);
  std::cout << "\nfile: " << file_of(entry);
  if (entry.file) {
    if (!entry.file->facts.build_id.empty())
      std::cout << "\nbuild-id: " << entry.file->facts.build_id;
    line("needed libraries", entry.file->facts.needed);
    if (!entry.file->metadata.torch.empty()) line("LibTorch build", {entry.file->metadata.torch});
  }
  std::cout << "\n\n";
  print_options(options_of(component));
}

Value details_of(const Installed& entry) {
  const plugins::Component& component = entry.component;
  Value value = summary_of(entry);
  value.set("roles", list(component.roles));
  value.set("run_on", text(component.run_on == plugins::RunOn::chief ? "chief" : "all"));
  value.set("requires_ext", list(component.requires_ext));
  value.set("produces", component.lists_produced ? list(component.produces) : Value());
  value.set("consumes", list(component.consumes));
  value.set("options", options_of(component));
  if (entry.file) {
    value.set("build_id", text(entry.file->facts.build_id));
    value.set("needed", list(entry.file->facts.needed));
    const std::string& torch = entry.file->metadata.torch;
    value.set("libtorch_build", text_or_null(torch));
  }
  return value;
}

// The components that the argument means: all in a file, or the one with this id. Throws the error
// of the catalog if there is none.
std::vector<Installed> chosen(const plugins::Catalog& catalog, const std::string& what,
                              bool is_file) {
  std::vector<Installed> entries;
  for (const Installed& entry : session::installed(catalog))
    if (is_file ? entry.file == &catalog.files().front()
                : entry.component.id == what || manifest::last_word(entry.component.id) == what)
      entries.push_back(entry);
  if (entries.empty() && std::ranges::count(plugins::known_roles(), what) > 0)
    throw base::Error(base::Exit::usage,
                      {"broch plugin inspect", base::quoted(what) + ", which is a role",
                       "the id of a component, or a file", "broch plugin ls --role " + what});
  if (entries.empty()) {
    const plugins::Found found = catalog.find(what);
    entries.push_back({found.component, &found.file});
  }
  return entries;
}

int inspect(const PluginOptions& options) {
  const bool is_file = options.what.find('/') != std::string::npos || options.what.ends_with(".so");
  std::vector<std::string> files;
  if (is_file) files.push_back(std::filesystem::absolute(options.what).lexically_normal());
  std::error_code unknown;
  if (is_file && std::filesystem::is_directory(files.front(), unknown))
    base::fail(base::Exit::plugin, options.what, "a folder", "a library that ends in .so",
               "name the library itself; broch plugin ls --plugin-path lists those in a folder");
  const auto catalog = session::open_catalog(files, options.plugin_path);
  Value::Array components;
  const std::vector<Installed> entries = chosen(*catalog, options.what, is_file);
  for (size_t i = 0; i < entries.size(); ++i) {
    if (options.json) {
      components.push_back(details_of(entries[i]));
    } else {
      if (i > 0) std::cout << '\n';
      print_entry(entries[i]);
    }
  }
  if (options.json) print_json(object({{"components", Value(std::move(components))}}));
  return 0;
}

}  // namespace

void add_plugin(CLI::App& app, int& exit_code) {
  static PluginOptions options;
  CLI::App* plugin = app.add_subcommand("plugin", "List, inspect, test and create plugins");
  plugin->require_subcommand(1);
  CLI::App* all = plugin->add_subcommand(
      "ls", "List all components as manifests name them; with --json, also their files");
  all->add_option("--role", options.role,
                  "Only this role: " + base::join(plugins::known_roles(), ", "));
  CLI::App* one = plugin->add_subcommand("inspect", "Show one component, or all in a file");
  one->add_option("what", options.what, "An id, its last word, or a file")->required();
  for (CLI::App* command : {all, one}) {
    add_plugin_path(*command, options.plugin_path);
    add_json_flag(*command, options.json);
  }
  add_plugin_check(*plugin, exit_code);
  all->callback([&exit_code] { exit_code = ls(options); });
  one->callback([&exit_code] { exit_code = inspect(options); });
  add_plugin_new(*plugin, exit_code);
}

}  // namespace broch::cli
