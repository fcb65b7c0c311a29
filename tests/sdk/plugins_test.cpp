// plugins_test.cpp: what every plugin of this tree gives away and needs, read without loading it.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
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

// The C library, the C++ runtime and, in such a build, the sanitizers.
bool may_be_needed(std::string_view library) {
  static constexpr std::string_view allowed[] = {
      "libc.so",   "libm.so",      "libstdc++.so", "libgcc_s.so", "ld-linux",
      "libc++.so", "libc++abi.so", "libasan.so",   "libubsan.so", "libtsan.so"};
  return std::any_of(std::begin(allowed), std::end(allowed),
                     [&](std::string_view name) { return library.starts_with(name); });
}

}  // namespace

TEST_CASE("plugin: each built one exports its entry alone and needs the language runtimes alone") {
  const std::vector<std::string> paths = built_plugins();
  REQUIRE(paths.size() >= 20);
  for (const std::string& path : paths) {
    CAPTURE(path);
    const PluginFile file = open_plugin(path, broch::plugins::Origin::flag);
    CHECK(file.facts.exports.size() == 1);
    CHECK(file.facts.exports.at(0) == "broch_entry_v1");
    CHECK(file.facts.unique.empty());
    CHECK(!file.metadata.components.empty());
    for (const std::string& library : file.facts.needed) {
      CAPTURE(library);
      CHECK(may_be_needed(library));
    }
  }
}
