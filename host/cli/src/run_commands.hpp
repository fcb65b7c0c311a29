// run_commands.hpp: the subcommands of broch run that have source files of their own.
#pragma once
#include "commands.hpp"

namespace broch::cli {

void add_run_tail(CLI::App& run, int& exit_code);
void add_run_compare(CLI::App& run, int& exit_code);
void add_run_plot(CLI::App& run, int& exit_code);
void add_run_report(CLI::App& run, int& exit_code);

}  // namespace broch::cli
