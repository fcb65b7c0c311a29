// misuse_test.cpp: what layers say when they are called as they must not be.
#include <doctest/doctest.h>

#include "cli_harness/cli_harness.hpp"

using namespace broch;
using cli_harness::Json;

namespace {

struct Case {
  std::string name;
  std::vector<std::string> parts;
};

std::vector<Case> cases() {
  return {
#define MISUSE(name, call, ...) {#name, {__VA_ARGS__}},
#include "misuses.def"
  };
}

Json manifest(const std::string& one) {
  return {{"broch", 1},
          {"plugins", {MISUSE_MODEL}},
          {"model", {{"use", "layers.misuse"}, {"with", {{"case", one}}}}},
          {"data", {{"use", "dummy-constant"}, {"with", {{"shapes", {Json::array()}}}}}},
          {"optimizer", {{"use", "sgd"}, {"with", {{"learning_rate", 0.1}}}}},
          {"steps_per_epoch", 1},
          {"max_epoch", 1}};
}

// What it said of one case: from its name to that of the next one.
std::string said_of(const std::string& talk, const std::string& name) {
  const size_t at = talk.find("MISUSE " + name + ": ");
  if (at == std::string::npos) return "";
  return talk.substr(at, talk.find("MISUSE ", at + 1) - at);
}

}  // namespace

TEST_CASE("layers: each names itself, what it got and what it needs") {
  const cli_harness::Folder folder;
  const cli_harness::Training training(folder, "run", manifest(""));
  const int code = training.run();
  const std::string talk = training.talk();
  INFO(talk);
  REQUIRE(code == 0);
  for (const Case& misuse : cases()) {
    CAPTURE(misuse.name);
    const std::string said = said_of(talk, misuse.name);
    for (const std::string& part : misuse.parts) {
      CAPTURE(part);
      CHECK(said.find(part) != std::string::npos);
    }
  }
}

TEST_CASE("layers: too few dimensions end a training with its code, not with a signal") {
  for (const std::string name :
       {"size_number", "conv2d_number", "fully_connected_number", "batch_norm_number"}) {
    CAPTURE(name);
    const cli_harness::Folder folder;
    const cli_harness::Training training(folder, "run", manifest(name));
    CHECK(training.run() == 1);
    const std::string talk = training.talk();
    for (const Case& misuse : cases())
      if (misuse.name == name) CHECK(talk.find(misuse.parts[0]) != std::string::npos);
  }
}
