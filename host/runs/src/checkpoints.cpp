// checkpoints.cpp: what the list of a folder says, and what else is there.
#include "runs/checkpoints.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "runs/run_folder.hpp"
#include "session/checkpoints.hpp"
#include "store/checkpoint_list.hpp"

namespace broch::runs {
namespace {

namespace fs = std::filesystem;
using base::Exit;

// Where the list cannot be understood, a listing still shows the files.
std::vector<std::string> names_understood(const fs::path& folder) {
  try {
    return store::read_checkpoint_names(folder);
  } catch (const base::Error& failure) {
    if (failure.exit() != Exit::checkpoint) throw;
    base::warning(failure.what());
    return {};
  }
}

// names: those of the list, the newest last.
std::vector<CheckpointEntry> entries_of(const fs::path& folder,
                                        const std::vector<std::string>& names) {
  std::vector<CheckpointEntry> others, listed;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".safetensors" && !entry.is_symlink() &&
        std::ranges::count(names, entry.path().stem().string()) == 0)
      others.push_back({entry.path()});
  if (error) base::fail(Exit::data, folder, error.message(), "a log folder", "check the path");
  for (const std::string& name : names)
    listed.push_back({store::checkpoint_file(folder, name), true, name == names.back()});
  std::ranges::sort(others, {}, [](const CheckpointEntry& entry) {
    return std::pair(session::step_of(entry.file), entry.file);
  });
  others.insert(others.end(), listed.begin(), listed.end());
  if (others.empty())
    base::fail(Exit::checkpoint, folder, "no checkpoint in this folder",
               "a file named *.safetensors", "name the log folder of a run that saved");
  return others;
}

void look_at(CheckpointEntry& entry) {
  std::error_code error;
  entry.bytes = fs::file_size(entry.file, error);
  if (error) entry.bytes = 0;
  entry.saved_at = modified_at(entry.file);
  try {
    entry.counters = store::read_counters(entry.file);
  } catch (const base::Error& failure) {
    if (failure.exit() != Exit::checkpoint) throw;
    entry.error = failure.what();
  }
}

}  // namespace

std::optional<int64_t> CheckpointEntry::counter(const char* name) const {
  const auto it = counters.find(name);
  return it == counters.end() ? std::nullopt : std::optional(it->second);
}

std::vector<fs::path> checkpoint_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const CheckpointEntry& entry : entries_of(folder, store::read_checkpoint_names(folder)))
    files.push_back(entry.file);
  return files;
}

std::vector<CheckpointEntry> checkpoints_in(const fs::path& folder) {
  std::vector<CheckpointEntry> entries = entries_of(folder, names_understood(folder));
  for (CheckpointEntry& entry : entries) look_at(entry);
  return entries;
}

}  // namespace broch::runs
