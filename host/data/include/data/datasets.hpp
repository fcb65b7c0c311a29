// datasets.hpp: the datasets that `broch data download` knows, and where their files are kept.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace broch::data {

struct DatasetFile {
  std::string name, url;
  std::string split;                // "": of all splits
  uint64_t bytes = 0;               // 0: not known
  std::vector<std::string> sha256;  // of the versions that are known
  bool unpack = false;              // an archive, whose files are used
};

struct Dataset {
  std::string name, about, hint;
  std::vector<std::string> also_in;  // folders where another program may have put the files
  std::vector<DatasetFile> files;
};

// table: a JSON file in the form of plugins/dataflows/datasets/catalog.json; "": that one, which is
// part of the program. Throws base::Error.
std::vector<Dataset> datasets_of(const std::string& table);
// The dataset of this name, with the files of these splits and those of all splits; none named: all
// files. Throws base::Error (usage) if there is no such dataset or split.
Dataset find_dataset(const std::string& table, const std::string& name,
                     const std::vector<std::string>& splits);
// Of those files whose length is known.
uint64_t bytes_of(const std::vector<DatasetFile>& files);

// folder, or in "" the folder of this name in ~/.cache/broch/datasets (XDG_CACHE_HOME instead of
// ~/.cache), where dataflows look for it.
std::filesystem::path folder_of(const Dataset& dataset, const std::string& folder);
// Whether the file is there, with its length if that is known.
bool is_in(const std::filesystem::path& folder, const DatasetFile& file);

// The folder on this machine that has the most files of a dataset, and how many.
struct FullestFolder {
  std::filesystem::path path;
  size_t files = 0;
};
FullestFolder fullest_folder(const Dataset& dataset);

}  // namespace broch::data
