// data_command.cpp: broch data: looks at data, converts and fetches them.
#include "commands.hpp"
#include "data_commands.hpp"

namespace broch::cli {

void add_data(CLI::App& app, int& exit_code) {
  CLI::App* data = app.add_subcommand("data", "Show, convert and download data");
  data->require_subcommand(1);
  add_data_show(*data, exit_code);
  add_data_convert(*data, exit_code);
  add_data_list(*data, exit_code);
  add_data_download(*data, exit_code);
}

}  // namespace broch::cli
