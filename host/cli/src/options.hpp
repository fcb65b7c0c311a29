// options.hpp: options that several commands share.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "session/setup.hpp"

namespace broch::cli {

// Adds the arguments "manifest" and "overrides", and --plugin-path. Returns the first.
CLI::Option* add_manifest_options(CLI::App& command, session::SetupOptions& options);
// The same, where "manifest" may also be a dataflow as JSON text.
void add_flow_options(CLI::App& command, session::SetupOptions& options);
CLI::Option* add_plugin_path(CLI::App& command, std::vector<std::string>& folders);
// Adds --runtime torch|null.
void add_runtime_option(CLI::App& command, std::string& runtime);
CLI::Option* add_json_flag(CLI::App& command, bool& json);

struct TalkOptions {
  int verbose = 0;
  bool quiet = false;
  std::string color = "auto";
};
// Adds -q, -v and --color. apply also respects NO_COLOR and CLICOLOR_FORCE.
void add_talk_options(CLI::App& app, TalkOptions& options);
void apply(const TalkOptions& options);

}  // namespace broch::cli
