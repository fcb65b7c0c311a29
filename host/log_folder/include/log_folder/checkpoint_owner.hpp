// checkpoint_owner.hpp: which run has saved in a folder of checkpoints last. Several runs may have
// the same checkpoint_dir, one after the other.
#pragma once
#include <optional>
#include <string>

namespace broch::log_folder {

struct CheckpointOwner {
  std::string run;      // RunRecord::id
  std::string log_dir;  // where its log folder was then; for people
};

// Written into the folder itself. Throws base::Error (data).
void write_owner(const std::string& folder, const CheckpointOwner& owner);
// Nothing if no run has written it, as before version 0.2.
std::optional<CheckpointOwner> read_owner(const std::string& folder);

}  // namespace broch::log_folder
