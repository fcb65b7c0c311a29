// options.hpp: flags that several commands share.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "session/setup.hpp"

namespace broch::cli {

// MANIFEST [key=value …] and --plugin-path. Returns the first.
CLI::Option* add_manifest_options(CLI::App& command, session::SetupOptions& options);
void add_plugin_path(CLI::App& command, std::vector<std::string>& folders);
// --runtime torch|null.
void add_runtime_option(CLI::App& command, std::string& runtime);
CLI::Option* add_json_flag(CLI::App& command, bool& json);

struct TalkOptions {
  int verbose = 0;
  bool quiet = false;
  std::string colour = "auto";
};
// -q, -v, --color; NO_COLOR and CLICOLOR_FORCE are honoured.
void add_talk_options(CLI::App& app, TalkOptions& options);
void apply(const TalkOptions& options);

}  // namespace broch::cli
