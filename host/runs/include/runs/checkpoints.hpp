// checkpoints.hpp: the checkpoints in a folder.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace broch::runs {

struct CheckpointEntry {
  std::filesystem::path file;
  bool listed = false, newest = false;
  uint64_t bytes = 0;
  double saved_at = 0;                        // wall time
  std::map<std::string, int64_t> counters{};  // empty if the file cannot be read …
  std::string error{};                        // … for this reason

  std::optional<int64_t> counter(const char* name) const;
};

// First the files that the folder's list does not contain (copies, and checkpoints kept for ever),
// then those in the list, oldest first. Throws base::Error: data if there is no such folder,
// checkpoint if it has none.
std::vector<std::filesystem::path> checkpoint_files(const std::filesystem::path& folder);
// The same, with what is known of each.
std::vector<CheckpointEntry> checkpoints_in(const std::filesystem::path& folder);

}  // namespace broch::runs
