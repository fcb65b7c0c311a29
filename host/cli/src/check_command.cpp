// check_command.cpp: broch check: finds all mistakes that can be found before a run is built.
#include <iostream>

#include "base/log.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "session/preconditions.hpp"
#include "session/run.hpp"

namespace broch::cli {

void add_check(CLI::App& app, int& exit_code) {
  static session::SetupOptions options;
  static bool json = false;
  CLI::App* command =
      app.add_subcommand("check", "Check a manifest against what is installed; nothing is trained");
  add_manifest_options(*command, options);
  add_json_flag(*command, json);
  command->callback([&exit_code] {
    const session::Setup setup(options);
    if (!setup.manifest().runtime.disabled_passes.empty())
      session::require_passes(setup.manifest(), *runtime::open_torch_backend());
    session::require_start(setup.manifest());
    session::RunOptions run_options;
    run_options.writes = false;
    session::Run(setup, run_options).check_model();
    for (const std::string& warning : setup.warnings()) base::warning(warning);
    if (json)
      print_json(object({{"manifest", text(options.manifest)},
                         {"ok", Value(true)},
                         {"warnings", list(setup.warnings())}}));
    else
      std::cout << options.manifest << ": ok\n";
    exit_code = 0;
  });
}

}  // namespace broch::cli
