// new_plugin.hpp: a folder with a small, complete plugin, which CMake or Meson builds against the
// installed SDK, and a manifest that trains with it.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace broch::scaffold {

struct NewPlugin {
  std::string role;
  std::string name;              // "loss-watch", or an id: "org.example.loss-watch"
  std::string language = "c++";  // or "c", "rust"
  std::string folder{};          // "": the last word of the id
};

// Writes the folder, which must not exist or be empty, and returns the paths of its files. Nothing
// is left of it if that fails. Throws base::Error.
std::vector<std::filesystem::path> write(const NewPlugin& plugin);

}  // namespace broch::scaffold
