// commands.hpp: the subcommands of the program; each registers itself and sets the exit code.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace broch::cli {

void add_commands(CLI::App& app, int& exit_code);

void add_train(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_plan(CLI::App& app, int& exit_code);
void add_eval(CLI::App& app, int& exit_code);
void add_config(CLI::App& app, int& exit_code);
void add_plugin(CLI::App& app, int& exit_code);
void add_plugin_check(CLI::App& plugin, int& exit_code);  // below add_plugin
void add_plugin_new(CLI::App& plugin, int& exit_code);
void add_ctl(CLI::App& app, int& exit_code);
void add_ckpt(CLI::App& app, int& exit_code);
void add_run(CLI::App& app, int& exit_code);
void add_program(CLI::App& app, int& exit_code);
void add_bench(CLI::App& app, int& exit_code);
void add_env(CLI::App& app, int& exit_code);
void add_version(CLI::App& app, int& exit_code);
void add_help(CLI::App& app, int& exit_code);
void add_completion(CLI::App& app, int& exit_code);

// The subcommands that people see.
std::vector<const CLI::App*> commands_of(const CLI::App& app);

// Logs the exception that is being handled; the exit code for it.
base::Exit report_failure();

}  // namespace broch::cli
