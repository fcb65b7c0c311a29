// new_plugin.cpp: from the name and the role to the files on disk.
#include "scaffold/new_plugin.hpp"

#include "new_folder.hpp"
#include "project.hpp"

namespace broch::scaffold {

namespace fs = std::filesystem;

std::vector<fs::path> write(const NewPlugin& plugin) {
  const Language& language = language_of(plugin.language);
  const PluginName name(plugin.name);
  const Project project(name, plugin.role, language);
  const fs::path folder = plugin.folder.empty() ? name.word : plugin.folder;
  fs::path whole = fs::absolute(folder).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();  // "name/"
  NewFolder made(whole);
  for (const auto& [path, text] : project.files()) made.write(path, text);
  made.commit();
  std::vector<fs::path> written;
  for (const auto& [path, text] : project.files()) written.push_back(folder / path);
  return written;
}

}  // namespace broch::scaffold
