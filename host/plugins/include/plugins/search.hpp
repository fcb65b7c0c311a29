// search.hpp: the folders in which plugins are looked for.
#pragma once
#include <string>
#include <vector>

#include "plugins/file.hpp"

namespace broch::plugins {

struct Place {
  std::string folder;
  Origin origin = Origin::flag;
};

// The environment variables and process facts that the search depends on; tests pass their own.
struct Surroundings {
  std::string plugin_path;    // BROCH_PLUGIN_PATH: folders separated by ':'
  std::string xdg_data_home;  // XDG_DATA_HOME
  std::string home;           // HOME
  std::string program;        // path of the running program
  // AT_SECURE: the process has more rights than its caller; variables are ignored.
  bool secure = false;
};
Surroundings surroundings();

// In order of precedence: the folders of --plugin-path; those of BROCH_PLUGIN_PATH;
// $XDG_DATA_HOME/broch/plugins; ../lib/broch/plugins relative to the folder of the program, which
// is right in an installation and in a build tree.
std::vector<Place> search_places(const std::vector<std::string>& flags,
                                 const Surroundings& surroundings);

}  // namespace broch::plugins
