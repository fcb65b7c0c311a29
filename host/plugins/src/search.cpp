// search.cpp: finds the search folders from the environment and the program's own path.
#include "plugins/search.hpp"

#include <sys/auxv.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace broch::plugins {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    if (end > at) parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// The XDG base directory specification says to ignore a relative XDG_DATA_HOME.
std::string data_home(const Surroundings& surroundings) {
  if (surroundings.xdg_data_home.starts_with('/')) return surroundings.xdg_data_home;
  return surroundings.home.starts_with('/') ? surroundings.home + "/.local/share" : "";
}

}  // namespace

Surroundings surroundings() {
  std::error_code error;
  return {variable("BROCH_PLUGIN_PATH"), variable("XDG_DATA_HOME"), variable("HOME"),
          std::filesystem::read_symlink("/proc/self/exe", error).string(),
          getauxval(AT_SECURE) != 0};
}

std::vector<Place> search_places(const std::vector<std::string>& flags,
                                 const Surroundings& surroundings) {
  std::vector<Place> places;
  for (const std::string& folder : flags) places.push_back({folder, Origin::flag});
  if (!surroundings.secure) {
    for (const std::string& folder : split(surroundings.plugin_path, ':'))
      places.push_back({folder, Origin::environment});
    const std::string home = data_home(surroundings);
    if (!home.empty()) places.push_back({home + "/broch/plugins", Origin::user});
  }
  if (!surroundings.program.empty()) {
    const auto prefix = std::filesystem::path(surroundings.program).parent_path().parent_path();
    places.push_back({(prefix / "lib/broch/plugins").string(), Origin::installed});
  }
  return places;
}

}  // namespace broch::plugins
