// data_download.cpp: broch data list and download: datasets that can be fetched.
#include <algorithm>
#include <iostream>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "data/download.hpp"
#include "data_commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "terminal.hpp"

namespace broch::cli {
namespace {

namespace fs = std::filesystem;
using base::Exit;

struct DownloadOptions {
  std::string name, folder, table;
  std::vector<std::string> splits;
  bool json = false;
};

// ---- list

// The folder that has the most files, and how many.
std::pair<fs::path, size_t> best_folder(const data::Dataset& dataset, const std::string& folder) {
  std::vector<fs::path> folders{data::folder_of(dataset, folder)};
  if (folder.empty()) folders.insert(folders.end(), dataset.also_in.begin(), dataset.also_in.end());
  std::pair<fs::path, size_t> best{folders[0], 0};
  for (const fs::path& one : folders) {
    const auto there = size_t(std::ranges::count_if(
        dataset.files, [&one](const data::DatasetFile& file) { return data::is_in(one, file); }));
    if (there > best.second) best = {one, there};
  }
  return best;
}

uint64_t bytes_of(const std::vector<data::DatasetFile>& files) {
  uint64_t bytes = 0;
  for (const data::DatasetFile& file : files) bytes += file.bytes;
  return bytes;
}

int list(const DownloadOptions& options) {
  Value::Array all;
  Table table({"dataset", "size", "files there", "folder", ""});
  for (const data::Dataset& dataset : data::datasets_of(options.table)) {
    const auto [folder, there] = best_folder(dataset, "");
    const uint64_t bytes = bytes_of(dataset.files);
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

// The dataset, with the files of the splits that are wanted.
data::Dataset chosen(const DownloadOptions& options) {
  std::vector<std::string> names;
  for (data::Dataset& dataset : data::datasets_of(options.table)) {
    names.push_back(dataset.name);
    if (dataset.name != options.name) continue;
    std::vector<std::string> splits;
    for (const data::DatasetFile& file : dataset.files)
      if (!file.split.empty() && std::ranges::count(splits, file.split) == 0)
        splits.push_back(file.split);
    for (const std::string& split : options.splits)
      if (std::ranges::count(splits, split) == 0)
        base::fail(Exit::usage, "--split " + split, "no split of " + dataset.name,
                   splits.empty() ? "a dataset with splits" : "one of " + base::join(splits, ", "));
    if (!options.splits.empty())
      std::erase_if(dataset.files, [&](const data::DatasetFile& file) {
        return !file.split.empty() && std::ranges::count(options.splits, file.split) == 0;
      });
    return std::move(dataset);
  }
  base::fail(Exit::usage, "the dataset",
             base::quoted(options.name) + base::did_you_mean(options.name, names),
             names.empty() ? "a table with datasets" : "one of " + base::join(names, ", "),
             "broch data list shows them");
}

int download(const DownloadOptions& options) {
  const data::Dataset dataset = chosen(options);
  const fs::path folder = data::folder_of(dataset, options.folder);
  base::info(dataset.name + ": " + dataset.about);
  base::info(base::counted(int64_t(dataset.files.size()), "file") + ", " +
             data::size_text(bytes_of(dataset.files)) + ", into " + folder.string());
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
