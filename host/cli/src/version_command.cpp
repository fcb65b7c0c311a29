// version_command.cpp: broch version and --version.
#include <iostream>

#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "plugins/entry.hpp"
#include "version.hpp"

namespace broch::cli {
namespace {

const std::string kTorch = BROCH_TORCH_VERSION;  // "": built without LibTorch

}  // namespace

std::string version_text() {
  const std::string commit = *kCommit ? " (" + std::string(kCommit) + ")" : "";
  return "broch " BROCH_VERSION + commit + ", plugin interface " + plugins::host_interface() +
         (kTorch.empty() ? ", without LibTorch" : ", LibTorch " + kTorch);
}

void add_version(CLI::App& app, int& exit_code) {
  static bool json = false;
  CLI::App* command =
      app.add_subcommand("version", "Print the version of this program and what it was built for");
  add_json_flag(*command, json);
  command->callback([&exit_code] {
    if (json)
      print_json(object({{"broch", text(BROCH_VERSION)},
                         {"interface", text(plugins::host_interface())},
                         {"libtorch", text_or_null(kTorch)},
                         {"commit", text_or_null(kCommit)}}));
    else
      std::cout << version_text() << '\n';
    exit_code = 0;
  });
  app.set_version_flag("-V,--version", version_text, "The same as broch version");
}

}  // namespace broch::cli
