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

// What the process tells about itself; a test makes its own.
struct Surroundings {
  std::string plugin_path;    // BROCH_PLUGIN_PATH: folders separated by ':'
  std::string xdg_data_home;  // XDG_DATA_HOME
  std::string home;           // HOME
  std::string program;        // path of the running program
  bool secure = false;        // AT_SECURE: more rights than the caller, so no variable is believed
};
Surroundings surroundings();

// In order of precedence: the folders of --plugin-path, BROCH_PLUGIN_PATH,
// $XDG_DATA_HOME/broch/plugins, and ../lib/broch/plugins as seen from the program's folder, which
// holds for an installed prefix and for a build tree.
std::vector<Place> search_places(const std::vector<std::string>& flags,
                                 const Surroundings& surroundings);

}  // namespace broch::plugins
