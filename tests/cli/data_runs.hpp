// data_runs.hpp: small dataflows for broch data, and the names of what is in a folder.
#pragma once
#include <algorithm>

#include "cli/program.hpp"

namespace broch::cli_test {

// Two components, 7 points.
inline const char* const kPictures = R"({"use": "fake", "with": {"size": 7, "components": [
  {"name": "image", "shape": [3, 6, 5]}, {"name": "label", "shape": [], "dtype": "int64"}]}})";
inline const char* const kNumbers =
    R"({"use": "fake", "with": {"size": 7, "components": [{"shape": [2]}]}})";

inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

}  // namespace broch::cli_test
