// config_command.cpp: broch config show prints a manifest as written, resolved, or with the origin
// of each value; config diff compares two; config schema prints the schema of all that is allowed.
#include <filesystem>
#include <iostream>

#include "base/error.hpp"
#include "base/log.hpp"
#include "commands.hpp"
#include "manifest/difference.hpp"
#include "manifest/schema_document.hpp"
#include "options.hpp"
#include "output.hpp"
#include "run_folder.hpp"
#include "store/atomic_file.hpp"
#include "value/concealed.hpp"
#include "value/json.hpp"

namespace broch::cli {
namespace {

struct ShowOptions {
  session::SetupOptions setup;
  bool resolved = false, origin = false, json = false;
};

struct DiffOptions {
  std::string first, second;
  std::vector<std::string> plugin_path;
  bool resolved = false, json = false;
};

struct SchemaOptions {
  std::string manifest, file;
  std::vector<std::string> plugin_path;
};

void print_origins(const manifest::Manifest& manifest, bool json) {
  Value::Array values;
  Table table({"value", "", "origin"});
  const Value resolved = manifest.resolved();
  for (const auto& [pointer, origin] : manifest.origins()) {
    const Value* value = manifest::find_at(resolved, pointer);
    const Value shown = value ? *value : Value();
    values.push_back(
        object({{"pointer", text(pointer)}, {"value", shown}, {"origin", text(origin)}}));
    table.add({pointer, manifest::to_text(shown), origin});
  }
  json ? print_json(object({{"values", Value(std::move(values))}})) : table.print();
}

int show(const ShowOptions& options) {
  if (!options.resolved && !options.origin && !options.json) {
    if (!options.setup.overrides.empty())
      throw base::Error(base::Exit::usage,
                        {"config show", "overrides without --resolved or --origin",
                         "a manifest as written", "add --resolved or --origin"});
    std::cout << manifest::load(options.setup.manifest).source->text;
    return 0;
  }
  const session::Setup setup(options.setup);
  if (options.origin)
    print_origins(setup.manifest(), options.json);
  else if (options.json)
    print_json(object({{"manifest", setup.manifest().resolved()}}));
  else
    std::cout << setup.manifest().resolved_text();
  return 0;
}

manifest::Manifest read(const std::string& given, const DiffOptions& options) {
  const std::string path = manifest_file(given);
  if (!options.resolved) return manifest::load(path);
  session::SetupOptions setup;
  setup.manifest = path;
  setup.plugin_path = options.plugin_path;
  return session::Setup(setup).manifest();
}

Value side_of(const Value* value) {
  return value ? object({{"value", manifest::as_manifest(*value)},
                         {"origin", text(value->origin().text())}})
               : Value();
}

void print_side(char sign, const Value* value) {
  if (!value) return;
  std::cout << "  " << sign << ' ' << manifest::to_text(manifest::as_manifest(*value)) << "  ("
            << value->origin().text() << ")\n";
}

// A run's log folder has the resolved manifest, so the other manifest is resolved for comparison.
int diff(DiffOptions options) {
  for (const std::string& side : {options.first, options.second})
    options.resolved = options.resolved || std::filesystem::is_directory(side);
  const manifest::Manifest first = read(options.first, options);
  const manifest::Manifest second = read(options.second, options);
  const auto found = manifest::differences(first, second, options.resolved);
  Value::Array list;
  for (const manifest::Difference& one : found) {
    list.push_back(object(
        {{"pointer", text(one.pointer)}, {"a", side_of(one.first)}, {"b", side_of(one.second)}}));
    if (options.json) continue;
    std::cout << one.pointer << '\n';
    print_side('-', one.first);
    print_side('+', one.second);
  }
  if (options.json) print_json(object({{"differences", Value(std::move(list))}}));
  return found.empty() ? 0 : 1;
}

int schema(const SchemaOptions& options) {
  std::vector<std::string> plugins;
  if (!options.manifest.empty()) plugins = manifest::load(options.manifest).plugins;
  const auto catalog = session::open_catalog(plugins, options.plugin_path);
  const session::Kinds kinds(*catalog);
  const manifest::SchemaDocument schema = manifest::schema_document(kinds);
  for (const std::string& reason : schema.left_out) base::warning("left out: " + reason);
  const std::string text = manifest::to_pretty_text(schema.document);
  if (options.file.empty())
    std::cout << text;
  else
    store::write_atomically(options.file, text);
  return 0;
}

void add_diff(CLI::App& config, int& exit_code) {
  static DiffOptions options;
  CLI::App* command =
      config.add_subcommand("diff", "Compare two manifests; exit code 1 if they differ");
  command->add_option("a", options.first, "A manifest, or the log folder of a run")->required();
  command->add_option("b", options.second, "Another")->required();
  add_plugin_path(*command, options.plugin_path);
  command->add_flag("--resolved", options.resolved,
                    "Include defaults, also those of options of components");
  add_json_flag(*command, options.json);
  command->callback([&exit_code] { exit_code = diff(options); });
}

void add_schema(CLI::App& config, int& exit_code) {
  static SchemaOptions options;
  CLI::App* command = config.add_subcommand(
      "schema", "Print a JSON Schema of manifests and of all installed components, for editors");
  command->add_option("manifest", options.manifest, "Include the plugins that this manifest names");
  command->add_option("-o,--output", options.file, "Write it to this file");
  add_plugin_path(*command, options.plugin_path);
  command->callback([&exit_code] { exit_code = schema(options); });
}

}  // namespace

void add_config(CLI::App& app, int& exit_code) {
  static ShowOptions options;
  CLI::App* config = app.add_subcommand("config", "Show and compare manifests");
  config->require_subcommand(1);
  add_diff(*config, exit_code);
  add_schema(*config, exit_code);
  CLI::App* command =
      config->add_subcommand("show", "Print a manifest, by default as it was written");
  add_manifest_options(*command, options.setup);
  command->add_flag("--resolved", options.resolved,
                    "With overrides and all defaults, as JSON that describes the same run");
  command->add_flag("--origin", options.origin,
                    "One line per value: the value and where it comes from");
  add_json_flag(*command, options.json);
  command->callback([&exit_code] { exit_code = show(options); });
}

}  // namespace broch::cli
