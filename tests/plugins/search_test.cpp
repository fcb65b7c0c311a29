// search_test.cpp: which folders are searched, in which order.
#include "plugins/search.hpp"

#include "support.hpp"

using broch::plugins::Origin;
using broch::plugins::Place;
using broch::plugins::search_places;
using broch::plugins::Surroundings;

namespace {

std::vector<std::string> folders(const std::vector<Place>& places) {
  std::vector<std::string> result;
  for (const Place& place : places) result.push_back(place.folder);
  return result;
}

const Surroundings kUsual = {"/a::/b", "/data", "/home/me", "/opt/broch/bin/broch", false};

}  // namespace

TEST_CASE("search: flags come before the environment, the user's folder and the installation") {
  const auto places = search_places({"one", "two"}, kUsual);
  CHECK(folders(places) == std::vector<std::string>{"one", "two", "/a", "/b", "/data/broch/plugins",
                                                    "/opt/broch/lib/broch/plugins"});
  CHECK(places[1].origin == Origin::flag);
  CHECK(places[3].origin == Origin::environment);
  CHECK(places[4].origin == Origin::user);
  CHECK(places[5].origin == Origin::installed);
}

TEST_CASE("search: no variable is believed when the program has more rights than its caller") {
  Surroundings secure = kUsual;
  secure.secure = true;
  CHECK(folders(search_places({"one"}, secure)) ==
        std::vector<std::string>{"one", "/opt/broch/lib/broch/plugins"});
}

TEST_CASE("search: without a usable XDG_DATA_HOME the user's folder is below HOME") {
  for (const char* data_home : {"", "relative"}) {
    Surroundings plain = kUsual;
    plain.plugin_path = "";
    plain.xdg_data_home = data_home;
    CHECK(folders(search_places({}, plain)).front() == "/home/me/.local/share/broch/plugins");
    plain.home = "";
    CHECK(folders(search_places({}, plain)).front() == "/opt/broch/lib/broch/plugins");
  }
}

TEST_CASE("search: a build tree's plugins are seen from its program") {
  const Surroundings here = broch::plugins::surroundings();
  CHECK(here.program.ends_with("broch_test_plugins"));
  const auto program = support::fs::path(here.program);
  CHECK(search_places({}, here).back().folder ==
        (program.parent_path().parent_path() / "lib/broch/plugins").string());
}
