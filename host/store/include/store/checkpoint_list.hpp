// checkpoint_list.hpp: which checkpoints of a folder are kept. The text file `checkpoint` lists
// them in the format of TensorFlow's Saver.
//
//   model_checkpoint_path: "model-300"            the newest
//   all_model_checkpoint_paths: "model-200"       one line each, oldest first
//   all_model_checkpoint_paths: "model-300"
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "store/checkpoint.hpp"

namespace broch::store {

struct KeepPolicy {
  int max_to_keep = 10;                            // 0: delete nothing, list only the newest
  std::optional<double> keep_every_n_hours = 0.5;  // per period, one of those that leave the list
                                                   // is kept; nullopt: none is
  // The first of every n steps that leaves the list is kept; that of the first n is not. 0: none.
  int64_t keep_every_n_steps = 0;
  // The monotonic time from which the hours count; nullopt: from when the list is made.
  std::optional<double> hours_since = std::nullopt;
};

class CheckpointList {
 public:
  // Reads the file `checkpoint`. An entry whose file is missing is dropped with a warning. Removes
  // temporary files of killed runs. Throws Error(checkpoint) or Error(data).
  CheckpointList(std::filesystem::path folder, KeepPolicy policy,
                 const base::Clock& clock = base::system_clock());

  // Changes the policy from the next save on. The hours begin anew if hours_since is another one.
  void keep(KeepPolicy policy);
  // Writes the file, then `checkpoint`, then deletes files that are no longer kept. Returns the
  // path.
  std::filesystem::path save(const std::string& name, const CheckpointContents& contents);

  std::vector<std::string> names() const;  // oldest first

 private:
  struct Entry {
    std::string name;
    std::optional<double> saved_at;  // monotonic time; nullopt: before this list was made
  };

  size_t count_superfluous() const;
  void write_list(size_t skip) const;
  void delete_or_keep(const Entry& entry);

  std::filesystem::path folder_;
  KeepPolicy policy_;
  const base::Clock& clock_;
  std::vector<Entry> entries_;
  double next_keep_time_;
};

// The names in the file `checkpoint`, oldest first; empty if the file does not exist. Throws
// Error(checkpoint), also for a name that is not a plain file name.
std::vector<std::string> read_checkpoint_names(const std::filesystem::path& folder);

// The file of the newest checkpoint; none if there is no file `checkpoint`.
std::optional<std::filesystem::path> latest_checkpoint(const std::filesystem::path& folder);

// The file of the checkpoint that path means: a file, a folder or its text file "checkpoint".
// Throws Error(checkpoint) if there is none.
std::filesystem::path find_checkpoint(const std::filesystem::path& path);

}  // namespace broch::store
