// data_commands.hpp: the commands below broch data.
#pragma once
#include <CLI/CLI.hpp>

namespace broch::cli {

void add_data_show(CLI::App& data, int& exit_code);
void add_data_convert(CLI::App& data, int& exit_code);
void add_data_list(CLI::App& data, int& exit_code);
void add_data_download(CLI::App& data, int& exit_code);

}  // namespace broch::cli
