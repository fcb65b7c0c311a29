// config_command.cpp: broch config show: a manifest as written, as resolved, and where each value
// comes from.
#include <iostream>

#include "base/error.hpp"
#include "commands.hpp"
#include "manifest/json.hpp"
#include "options.hpp"
#include "output.hpp"

namespace broch::cli {
namespace {

struct ShowOptions {
  session::SetupOptions setup;
  bool resolved = false, origin = false, json = false;
};

void print_origins(const manifest::Manifest& manifest, bool json) {
  Value::Array values;
  Table table({"value", "", "origin"});
  for (const auto& [pointer, origin] : manifest.origins()) {
    const Value* value = manifest::find_at(manifest.value, pointer);
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
    print_json(object({{"manifest", setup.manifest().value}}));
  else
    std::cout << setup.manifest().resolved_text();
  return 0;
}

}  // namespace

void add_config(CLI::App& app, int& exit_code) {
  static ShowOptions options;
  CLI::App* config = app.add_subcommand("config", "Look at manifests");
  config->require_subcommand(1);
  CLI::App* command = config->add_subcommand("show", "Print a manifest, as written unless told");
  add_manifest_options(*command, options.setup);
  command->add_flag("--resolved", options.resolved,
                    "With overrides and all defaults, as JSON that loads to the same run");
  command->add_flag("--origin", options.origin,
                    "One line for each value: what it is, whence it is");
  add_json_flag(*command, options.json);
  command->callback([&exit_code] { exit_code = show(options); });
}

}  // namespace broch::cli
