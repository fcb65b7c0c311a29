// version_command.cpp: broch version.
#include <broch/version.h>

#include <iostream>

#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"

namespace broch::cli {

std::string abi_version() {
  return std::to_string(BROCH_ABI_MAJOR) + "." + std::to_string(BROCH_ABI_MINOR);
}

void add_version(CLI::App& app, int& exit_code) {
  static bool json = false;
  CLI::App* command = app.add_subcommand("version", "Print the version");
  add_json_flag(*command, json);
  command->callback([&exit_code] {
    if (json)
      print_json(object({{"broch", text(BROCH_VERSION)}, {"interface", text(abi_version())}}));
    else
      std::cout << "broch " << BROCH_VERSION << ", plugin interface " << abi_version() << '\n';
    exit_code = 0;
  });
}

}  // namespace broch::cli
