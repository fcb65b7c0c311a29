// project.hpp: the files of a new plugin: its source, what builds it, a manifest and a README.
#pragma once
#include <map>
#include <string>

#include "plugin_name.hpp"

namespace broch::scaffold {

struct Language;

// Throws base::Error (usage) for one that has no templates.
const Language& language_of(const std::string& name);

// Fills the templates of a role and a language.
class Project {
 public:
  // Throws base::Error (usage) if there is no such role.
  Project(const PluginName& name, const std::string& role, const Language& language);

  // Texts by path in the new folder.
  const std::map<std::string, std::string>& files() const { return files_; }

 private:
  // from: a template; the words between @ in it are replaced.
  void add(const std::string& path, const std::string& from);
  void add_c();
  void add_rust();

  const Language& language_;
  std::map<std::string, std::string, std::less<>> words_;
  std::map<std::string, std::string> files_;
};

}  // namespace broch::scaffold
