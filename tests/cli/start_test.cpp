// start_test.cpp: a start that fails before training leaves what was there before.
#include <doctest/doctest.h>

#include <fstream>
#include <map>

#include "cli/program.hpp"

using namespace broch::cli_test;
namespace fs = std::filesystem;

namespace {

const std::string kFails = R"(session_init={"use": "restore", "with": {"path": "/none"}})";

std::map<std::string, std::string> content(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    files[entry.path()] = entry.is_regular_file() ? read_file(entry.path()) : "";
  return files;
}

void check_fails(const Words& words, int exit_code) {
  const Outcome outcome = run(words);
  INFO(outcome.err);
  CHECK(outcome.exit_code == exit_code);
  CHECK(outcome.out == "");
}

}  // namespace

TEST_CASE("start: one that fails before training leaves no folder, nor those above it") {
  const Quick quick;
  const Folder folder;
  const fs::path above = folder.path() / "train_log";
  const std::string place = "log_dir=" + (above / "deep" / "quick").string();
  const auto placed = [&](const Words& more) {
    Words words = quick.train(more);
    for (std::string& word : words)
      if (word.starts_with("log_dir=")) word = place;
    return words;
  };
  check_fails(placed({kFails}), 9);
  check_fails(placed({"log_dir_action=new", kFails}), 9);
  check_fails(placed({R"(+callbacks={"use": "periodic-trigger", "with": {"callback": "bench"}})"}),
              3);
  check_fails(placed({"steps_per_epoch=null"}), 3);
  check_fails(digits({"train"}, {place,
                                 "dataflow.with.dataflow.with.dataflow.with."
                                 "components[0].file=/none.csv"}),
              5);
  CHECK_FALSE(fs::exists(above));
}

TEST_CASE("start: one that fails leaves the folder of an earlier run as it was") {
  const Quick quick;
  REQUIRE(run(quick.train()).exit_code == 0);
  const auto before = content(quick.folder());
  for (const char* action : {"backup", "delete", "keep", "new", "quit"}) {
    CAPTURE(action);
    check_fails(quick.train({std::string("log_dir_action=") + action, kFails}),
                std::string(action) == "quit" ? 5 : 9);
    CHECK(content(quick.folder()) == before);
  }
}

TEST_CASE("start: an empty folder stays, empty; a later start works") {
  const Quick quick;
  fs::create_directory(quick.log_dir());
  check_fails(quick.train({kFails}), 9);
  CHECK(fs::is_empty(quick.log_dir()));
  CHECK(run(quick.train({"log_dir_action=delete"})).exit_code == 0);
  CHECK(run(quick.train({"log_dir_action=delete"})).exit_code == 0);
  CHECK_FALSE(fs::exists(quick.log_dir() + "/.broch-old"));
}
