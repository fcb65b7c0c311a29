// commands.hpp: the subcommands of the program; each registers itself and sets the exit code.
#pragma once
#include <CLI/CLI.hpp>

namespace broch::cli {

void add_commands(CLI::App& app, int& exit_code);

void add_train(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);

}  // namespace broch::cli
