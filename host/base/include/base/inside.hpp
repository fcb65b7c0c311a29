// inside.hpp: whether a path lies in a folder, by their names alone.
#pragma once
#include <filesystem>

namespace broch::base {

// Also if it is the folder itself. Links, "." and ".." have to be resolved before.
inline bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const std::filesystem::path below = path.lexically_relative(folder);
  return !below.empty() && *below.begin() != "..";
}

}  // namespace broch::base
