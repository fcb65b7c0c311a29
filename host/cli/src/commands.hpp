// commands.hpp: the subcommands of the program. Each registers itself; its callback sets exit_code.
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
void add_lr_find(CLI::App& app, int& exit_code);
void add_sweep(CLI::App& app, int& exit_code);
void add_eval(CLI::App& app, int& exit_code);
void add_predict(CLI::App& app, int& exit_code);
void add_export(CLI::App& app, int& exit_code);
void add_serve(CLI::App& app, int& exit_code);
void add_config(CLI::App& app, int& exit_code);
void add_plugin(CLI::App& app, int& exit_code);
void add_plugin_check(CLI::App& plugin, int& exit_code);  // called by add_plugin, like the next
void add_plugin_new(CLI::App& plugin, int& exit_code);
void add_ctl(CLI::App& app, int& exit_code);
void add_data(CLI::App& app, int& exit_code);
void add_ckpt(CLI::App& app, int& exit_code);
void add_run(CLI::App& app, int& exit_code);
void add_ui(CLI::App& app, int& exit_code);
void add_program(CLI::App& app, int& exit_code);
void add_bench(CLI::App& app, int& exit_code);
void add_env(CLI::App& app, int& exit_code);
void add_version(CLI::App& app, int& exit_code);
void add_help(CLI::App& app, int& exit_code);
void add_completion(CLI::App& app, int& exit_code);

// The subcommands that help shows.
std::vector<const CLI::App*> commands_of(const CLI::App& app);

// Logs the exception that is being handled, and returns its exit code.
base::Exit report_failure();

}  // namespace broch::cli
