// adopted_checkpoint.hpp: makes the checkpoint from which a run goes on the first one of its
// folder.
#pragma once
#include <filesystem>
#include <string>

namespace broch::store {

// Copies the file under this name to a folder, and lists it alone there. Returns its path. Throws
// Error(data).
std::filesystem::path adopt_checkpoint(const std::filesystem::path& file,
                                       const std::filesystem::path& folder,
                                       const std::string& name);

// If the list of the folder cannot be understood: keeps it as checkpoint.damaged, and lists this
// checkpoint alone if it is there. Throws Error(data).
void renew_damaged_list(const std::filesystem::path& folder, const std::string& name);

}  // namespace broch::store
