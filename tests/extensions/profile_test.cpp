// profile_test.cpp: --profile and broch.profile/1: what took how long.
#include <doctest/doctest.h>

#include <map>

#include "cli_harness/cli_harness.hpp"

namespace {

using broch::cli_harness::Folder;
using broch::cli_harness::Json;
using broch::cli_harness::Training;

Json profile_manifest(bool closes_too_often = false) {
  return {
      {"broch", 1},
      {"plugins", {SPANS, MODELS}},
      {"model", "test.flat"},
      {"dataflow", {{"use", "test.rows"}, {"with", {{"rows", {{1}, {2}, {3}}}}}}},
      {"callbacks", {{{"use", "test.spans"}, {"with", {{"closes_too_often", closes_too_often}}}}}},
      {"steps_per_epoch", 3},
      {"max_epoch", 2}};
}

struct Profile {
  std::map<std::string, std::vector<Json>> events;  // by name, in the order of the file
  std::map<int, std::string> threads;
};

Profile read_profile(const std::filesystem::path& file) {
  Profile profile;
  double last = 0;
  const Json whole = Json::parse(broch::test::read_file(file));
  for (const Json& event : whole.at("traceEvents")) {
    if (event.at("ph") == "M") {
      profile.threads[event.at("tid")] = event.at("args").at("name");
      continue;
    }
    CHECK(event.at("ts") >= last);
    last = event.at("ts");
    profile.events[event.at("name")].push_back(event);
  }
  return profile;
}

bool holds(const Json& outer, const Json& inner) {
  const double begin = outer.at("ts"), end = begin + double(outer.at("dur"));
  const double inner_end = double(inner.at("ts")) + double(inner.at("dur"));
  constexpr double kRounding = 0.002;  // microseconds
  return outer.at("tid") == inner.at("tid") && inner.at("ts") >= begin &&
         inner_end <= end + kRounding;
}

}  // namespace

TEST_CASE("profile: spans of the host and of a plugin, inside each other") {
  const Folder folder;
  const Training training(folder, "run", profile_manifest());
  const std::string file = folder / "profile.json";
  REQUIRE_MESSAGE(training.run({"--profile", file}) == 0, training.talk());
  CHECK(training.talk().find("spans: profiled") != std::string::npos);
  const Profile profile = read_profile(file);
  const auto of = [&](const std::string& name) -> const std::vector<Json>& {
    CAPTURE(name);
    REQUIRE(profile.events.contains(name));
    return profile.events.at(name);
  };
  CHECK(of("step").size() == 6);
  CHECK(of("next").size() == 6);
  CHECK(of("tower").size() == 6);
  CHECK(of("epoch 1").size() == 1);
  CHECK(of("before_train")[1].at("cat") == "step-counter");
  REQUIRE(of("outer \"quoted\"").size() == 6);
  REQUIRE(of("inner").size() == 6);
  CHECK(of("inner")[0].at("cat") == "callback 'spans' (test.spans)");
  for (size_t i = 0; i < 6; ++i) {
    CHECK(holds(of("outer \"quoted\"")[i], of("inner")[i]));
    CHECK(holds(of(i < 3 ? "epoch 1" : "epoch 2")[0], of("outer \"quoted\"")[i]));
    CHECK(holds(of("step")[i], of("next")[i]));
    CHECK(holds(of("step")[i], of("tower")[i]));
    CHECK_FALSE(holds(of("step")[i], of("inner")[i]));
    CHECK(of("steps")[i].at("args").at("value") == double(i + 1));
  }
  CHECK(of("nothing")[0].at("args").at("value").is_null());
  CHECK(profile.threads.at(of("step")[0].at("tid")) == "main");
  REQUIRE(of("work").size() == 1);
  CHECK(profile.threads.at(of("work")[0].at("tid")) == "worker");
}

TEST_CASE("profile: nothing is written, and nothing fails, without one") {
  const Folder folder;
  const Training training(folder, "run", profile_manifest(true));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  CHECK(training.talk().find("spans: not profiled") != std::string::npos);
}

TEST_CASE("profile: a run that fails leaves one, too; an end without a begin fails it") {
  const Folder folder;
  const Training training(folder, "run", profile_manifest(true));
  const std::string file = folder / "profile.json";
  CHECK(training.run({"--profile", file}) == 1);
  CHECK(training.talk().find("broch.profile/1 end: no span is open here") != std::string::npos);
  CHECK(read_profile(file).events.at("step").size() == 1);
}

TEST_CASE("profile: a span that another one left open is not one's own to end") {
  const Folder folder;
  Json two = profile_manifest(true);
  const Json first = {{"use", "test.spans"}, {"with", {{"leaves_open", true}}}};
  two["callbacks"].insert(two["callbacks"].begin(), first);
  const Training training(folder, "run", two);
  CHECK(training.run({"--profile", folder / "profile.json"}) == 1);
  CHECK(training.talk().find("end: no span is open here") != std::string::npos);
}

TEST_CASE("profile: a file that cannot be written is refused before training") {
  const Folder folder;
  const Training training(folder, "run", profile_manifest());
  CHECK(training.run({"--profile", folder / "missing/profile.json"}) == 2);
  CHECK(training.talk().find("--profile") != std::string::npos);
  CHECK(training.talk().find("the file cannot be written") != std::string::npos);
  CHECK(!std::filesystem::exists(training.log_dir()));
}
