// unload_test.cpp: libraries that are looked at, and gone again.
#include <cstdlib>

#include "plugins/library.hpp"
#include "resident.hpp"
#include "support.hpp"

using broch::plugins::open_plugin;
using broch::plugins::Origin;
using broch::plugins::PluginFile;
using broch::plugins::Trial;
using broch::test::resident;
using support::fixture;

namespace {

int64_t open_files() {
  const support::fs::directory_iterator files("/proc/self/fd");
  return std::distance(begin(files), end(files));
}

bool is_mapped(const std::string& path) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.ends_with(path)) return true;
  return false;
}

void look_at(const std::string& path) {
  Trial trial(open_plugin(path, Origin::manifest));
  REQUIRE(trial.entry().component_count == 2);
  REQUIRE(trial.unload());
}

}  // namespace

TEST_CASE("unload: 10,000 times read, loaded and unloaded leave no memory and no descriptor") {
  const support::Folder folder;
  const std::string path = folder.put("good", "looked_at.so");
  for (int i = 0; i < 1000; ++i) look_at(path);
  const int64_t memory = resident(), files = open_files();
  REQUIRE(memory > 0);
  for (int i = 0; i < 10'000; ++i) look_at(path);
  CHECK(resident() - memory < 1024);
  CHECK(open_files() == files);
  CHECK(!is_mapped(path));
}

TEST_CASE("unload: 10,000 listings leave no memory and no descriptor") {
  const auto list = [] { REQUIRE(open_plugin(fixture("good"), Origin::manifest).size > 0); };
  for (int i = 0; i < 1000; ++i) list();
  const int64_t memory = resident(), files = open_files();
  for (int i = 0; i < 10'000; ++i) list();
  CHECK(resident() - memory < 1024);
  CHECK(open_files() == files);
}

TEST_CASE("unload: what is refused after loading is gone, too") {
  const support::Folder folder;
  const std::string path = folder.put("lying_id", "refused.so");
  support::failure([&] { Trial(open_plugin(path, Origin::manifest)); });
  CHECK(!is_mapped(path));
}

TEST_CASE("unload: a library that the loader keeps is said to be there") {
  const support::Folder folder;
  const std::string path = folder.put("unique", "stays.so");
  Trial trial(open_plugin(path, Origin::manifest));
  CHECK_FALSE(trial.unload());
  CHECK(is_mapped(path));
}
