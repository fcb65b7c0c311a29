// options.hpp: flags that several commands share.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "session/setup.hpp"

namespace broch::cli {

// MANIFEST [key=value …] and --plugin-path.
void add_manifest_options(CLI::App& command, session::SetupOptions& options);

struct TalkOptions {
  int verbose = 0;
  bool quiet = false;
  std::string colour = "auto";
};
// -q, -v, --color; NO_COLOR and CLICOLOR_FORCE are honoured.
void add_talk_options(CLI::App& app, TalkOptions& options);
void apply(const TalkOptions& options);

}  // namespace broch::cli
