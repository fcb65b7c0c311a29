// adopted_checkpoint.hpp: copies a checkpoint of another folder as the first one of a folder.
#pragma once
#include <filesystem>
#include <string>

namespace broch::store {

// Copies the file under this name to a folder that lists no checkpoints, and lists it there.
// Returns its path. Throws Error(data).
std::filesystem::path adopt_checkpoint(const std::filesystem::path& file,
                                       const std::filesystem::path& folder,
                                       const std::string& name);

}  // namespace broch::store
