// checkpoint_list.hpp: which checkpoints of a folder are kept, and the text file `checkpoint` that
// names them, as TensorFlow's Saver keeps it.
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
  std::optional<double> keep_every_n_hours = 0.5;  // of those that leave the list; none: keep none
};

class CheckpointList {
 public:
  // Reads back what `checkpoint` lists; an entry without its file is dropped with a warning.
  // Removes temporary files that a killed run left. Throws Error(checkpoint) or Error(data).
  CheckpointList(std::filesystem::path folder, KeepPolicy policy,
                 const base::Clock& clock = base::system_clock());

  // From the next save on.
  void keep(KeepPolicy policy);
  // Writes the file, then `checkpoint`, then deletes what is no longer kept. Returns the path.
  std::filesystem::path save(const std::string& name, const CheckpointContents& contents);

  std::vector<std::string> names() const;  // oldest first

 private:
  struct Entry {
    std::string name;
    double saved_at;  // wall time
  };

  size_t count_superfluous() const;
  void write_list(size_t skip) const;
  void delete_or_keep(const Entry& entry);

  std::filesystem::path folder_;
  KeepPolicy policy_;
  const base::Clock& clock_;
  std::vector<Entry> entries_;
  std::optional<double> next_keep_time_;
};

// The names that `checkpoint` lists, oldest first, the newest last; empty without that file.
// A name that is no plain file name is refused. Throws Error(checkpoint).
std::vector<std::string> read_checkpoint_names(const std::filesystem::path& folder);

// The file of the newest checkpoint; none without a `checkpoint` file.
std::optional<std::filesystem::path> latest_checkpoint(const std::filesystem::path& folder);

}  // namespace broch::store
