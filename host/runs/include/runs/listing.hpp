// listing.hpp: which runs there are below a folder, and how far each one came.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "log_folder/run_record.hpp"

namespace broch::runs {

// The log folders below this one, sorted, not more than most. Does not follow links, and leaves out
// folders that cannot be read.
std::vector<std::filesystem::path> find_runs(const std::filesystem::path& folder,
                                             size_t most = SIZE_MAX);

struct Summary {
  std::filesystem::path log_dir;
  std::string name, state;
  std::optional<log_folder::RunRecord> record;
  std::optional<int64_t> epoch, step;   // in the last record
  std::map<std::string, double> stats;  // the latest value of each metric
};

// Throws base::Error if its stats.json or its manifest is damaged.
Summary summary_of(const std::filesystem::path& log_dir);
// What is known without these files: its name is that of the folder, and there are no numbers.
Summary summary_without_files(const std::filesystem::path& log_dir);

}  // namespace broch::runs
