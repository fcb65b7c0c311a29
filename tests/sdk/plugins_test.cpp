// plugins_test.cpp: what every plugin of this tree gives away and needs, read without loading it.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/file.hpp"

using broch::plugins::PluginFile;

namespace {

std::vector<std::string> built_plugins() {
  std::vector<std::string> paths;
  std::ifstream list(PLUGIN_LIST);
  for (std::string line; std::getline(list, line);) paths.push_back(line);
  return paths;
}

using Names = std::vector<std::string_view>;

bool begins_with_one_of(std::string_view library, const Names& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return library.starts_with(name); });
}

// The C library, the C++ runtime and, in such a build, the sanitizers; and the libraries of the
// system for which a plugin is there.
bool may_be_needed(std::string_view library, std::string_view plugin) {
  static const Names everywhere = {"libc.so",     "libm.so",   "libstdc++.so", "libgcc_s.so",
                                   "ld-linux",    "libc++.so", "libc++abi.so", "libasan.so",
                                   "libubsan.so", "libtsan.so"};
  static const std::map<std::string_view, Names> of_plugin = {
      {"images.so", {"libopencv_", "libjpeg.so", "libspng.so", "libwebp.so"}},
      {"hdf5.so", {"libhdf5"}},
      {"lmdb_file.so", {"liblmdb.so"}},
      {"wav.so", {"libsndfile.so"}},
      {"zmq.so", {"libzmq.so"}}};
  if (begins_with_one_of(library, everywhere)) return true;
  const auto own = of_plugin.find(plugin.substr(plugin.rfind('/') + 1));
  return own != of_plugin.end() && begins_with_one_of(library, own->second);
}

}  // namespace

TEST_CASE("plugin: each built one exports its entry alone and needs the language runtimes alone") {
  const std::vector<std::string> paths = built_plugins();
  REQUIRE(paths.size() >= 70);
  for (const std::string& path : paths) {
    CAPTURE(path);
    const PluginFile file = open_plugin(path, broch::plugins::Origin::flag);
    CHECK(file.facts.exports.size() == 1);
    CHECK(file.facts.exports.at(0) == "broch_entry_v1");
    CHECK(file.facts.unique.empty());
    CHECK(!file.metadata.components.empty());
    for (const std::string& library : file.facts.needed) {
      CAPTURE(library);
      CHECK(may_be_needed(library, path));
    }
  }
}
