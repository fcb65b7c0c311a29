// adopted_checkpoint.hpp: a checkpoint of another folder as the first of one.
#pragma once
#include <filesystem>
#include <string>

namespace broch::store {

// Copies the file into a folder that lists none, under this name, and lists it there. Returns its
// path. Throws Error(data).
std::filesystem::path adopt_checkpoint(const std::filesystem::path& file,
                                       const std::filesystem::path& folder,
                                       const std::string& name);

}  // namespace broch::store
