// data_download.cpp: broch data list and download: datasets that can be fetched.
#include <iostream>

#include "base/log.hpp"
#include "base/noun.hpp"
#include "data/download.hpp"
#include "data_commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "terminal.hpp"

namespace broch::cli {
namespace {

namespace fs = std::filesystem;

struct DownloadOptions {
  std::string name, folder, table;
  std::vector<std::string> splits;
  bool json = false;
};

// ---- list

int list(const DownloadOptions& options) {
  Value::Array all;
  Table table({"dataset", "size", "files there", "folder", ""});
  for (const data::Dataset& dataset : data::datasets_of(options.table)) {
    const auto [folder, there] = data::fullest_folder(dataset);
    const uint64_t bytes = data::bytes_of(dataset.files);
    all.push_back(object({{"name", text(dataset.name)},
                          {"about", text(dataset.about)},
                          {"bytes", bytes ? integer(int64_t(bytes)) : Value()},
                          {"files", integer(int64_t(dataset.files.size()))},
                          {"there", integer(int64_t(there))},
                          {"folder", text(folder.string())}}));
    table.add({dataset.name, bytes ? data::size_text(bytes) : "",
               std::to_string(there) + " of " + std::to_string(dataset.files.size()),
               there ? folder.string() : "", dataset.about});
  }
  if (options.json)
    print_json(object({{"datasets", Value(std::move(all))}}));
  else
    table.print_wrapped();
  return 0;
}

// ---- download

int download(const DownloadOptions& options) {
  const data::Dataset dataset = data::find_dataset(options.table, options.name, options.splits);
  const fs::path folder = data::folder_of(dataset, options.folder);
  base::info(dataset.name + ": " + dataset.about);
  base::info(base::counted(int64_t(dataset.files.size()), "file") + ", " +
             data::size_text(data::bytes_of(dataset.files)) + ", into " + folder.string());
  Terminal terminal;
  const std::vector<std::string> fetched = data::download(dataset, folder, terminal);
  if (options.json)
    print_json(object({{"name", text(dataset.name)},
                       {"folder", text(folder.string())},
                       {"fetched", cli::list(fetched)}}));
  else
    std::cout << folder.string() << '\n';
  return 0;
}

void add_table(CLI::App& command, std::string& table) {
  command.add_option("--table", table,
                     "A JSON file that lists datasets, instead of the table in the program");
}

}  // namespace

void add_data_list(CLI::App& group, int& exit_code) {
  static DownloadOptions options;
  CLI::App* command = group.add_subcommand(
      "list", "List the datasets that can be downloaded, and those that are on this machine");
  add_table(*command, options.table);
  add_json_flag(*command, options.json);
  command->callback([&exit_code] { exit_code = list(options); });
}

void add_data_download(CLI::App& group, int& exit_code) {
  static DownloadOptions options;
  CLI::App* command = group.add_subcommand(
      "download", "Download the files of a dataset, and compare their checksums");
  command->add_option("name", options.name, "A dataset that broch data list shows")->required();
  command->add_option("--folder", options.folder,
                      "Where to put the files instead of ~/.cache/broch/datasets/NAME");
  command
      ->add_option("--split", options.splits,
                   "Only the files of this split; may be given several times")
      ->allow_extra_args(false);
  add_table(*command, options.table);
  add_json_flag(*command, options.json);
  command->callback([&exit_code] { exit_code = download(options); });
}

}  // namespace broch::cli
