// world.hpp: files and an environment that exist for one test; where values come from.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "manifest/manifest.hpp"

namespace support {

struct World {
  std::map<std::string, std::string> files;        // by absolute path
  std::map<std::string, std::string> environment;  // by name

  broch::manifest::Surroundings surroundings() const {
    using namespace broch;
    return {[this](const std::string& path) {
              const auto found = files.find(path);
              if (found == files.end()) {
                throw base::Error(base::Exit::data,
                                  {path, "no such file", "a JSON file", "give another"});
              }
              const size_t slash = path.rfind('/');
              return std::make_shared<const manifest::Source>(
                  manifest::Source{path, path.substr(0, slash), found->second});
            },
            [this](const std::string& name) -> std::optional<std::string> {
              const auto found = environment.find(name);
              return found == environment.end() ? std::nullopt : std::optional(found->second);
            }};
  }

  // Of /runs/one/run.json.
  broch::manifest::Manifest load(const std::string& text,
                                 const std::vector<std::string>& overrides = {}) const {
    using broch::manifest::Source;
    return broch::manifest::load_source(
        std::make_shared<const Source>(Source{"run.json", "/runs/one", text}), overrides,
        surroundings());
  }
};

inline std::string origin_of(const broch::manifest::Manifest& manifest,
                             const std::string& pointer) {
  for (const auto& [place, origin] : manifest.origins()) {
    if (place == pointer) return origin;
  }
  return "nowhere";
}

}  // namespace support
