// continue_test.cpp: broch train LOGDIR --resume: the folder stands for all that its run was, and a
// training that did not finish says so.
#include <doctest/doctest.h>

#include <csignal>
#include <fstream>

#include "cli/program.hpp"

using namespace broch::cli_test;
namespace fs = std::filesystem;

namespace {

Outcome go_on(const std::string& log_dir, const Words& more = {},
              const Surroundings& surroundings = {}) {
  Words words{"train", "--runtime", "null", log_dir, "--resume"};
  words.insert(words.end(), more.begin(), more.end());
  return run(words, surroundings);
}

Json json_in(const fs::path& log_dir, const std::string& file) {
  return Json::parse(read_file(log_dir / file));
}

}  // namespace

TEST_CASE("continue: a log folder stands for its run's manifest, with overrides on top") {
  const Folder folder;
  const fs::path log_dir = folder.path() / "log";
  const Outcome first = run(digits({"train"}, {"log_dir=" + log_dir.string(), "max_epoch=1"}));
  INFO(first.err);
  REQUIRE(first.exit_code == 0);
  const std::string given = read_file(log_dir / "manifest.json");
  const std::string inputs = read_file(log_dir / "manifest.inputs.json");

  const Outcome second = run({"train", log_dir, "--resume", "max_epoch=3"});
  INFO(second.err);
  REQUIRE(second.exit_code == 0);
  CHECK(second.out == "log_dir: " + log_dir.string() + "\n");
  CHECK(run({"ckpt", "diff", log_dir, trained_digits()}).exit_code == 0);
  CHECK(read_file(log_dir / "manifest.json") == given);
  CHECK(read_file(log_dir / "manifest.inputs.json") == inputs);
  CHECK(json_in(log_dir, "manifest.resolved.json")["max_epoch"] == 3);
  CHECK(json_in(log_dir, "run.json")["resumed_from"] == log_dir.string() + "/model-40.safetensors");
}

TEST_CASE("continue: in the folder itself, wherever it was moved and whatever was resumed first") {
  const Quick quick;
  REQUIRE(run(quick.train()).exit_code == 0);
  const std::string checkpoint = quick.log_dir() + "/model-5.safetensors";
  const fs::path branch = quick.folder() / "branch", moved = quick.folder() / "moved";
  REQUIRE(run({"train", "--runtime", "null", quick.manifest(), "log_dir=" + branch.string(),
               "resume=" + checkpoint})
              .exit_code == 0);
  fs::rename(branch, moved);
  fs::rename(quick.log_dir(), quick.folder() / "gone");

  const Outcome outcome = go_on("moved/", {"max_epoch=3"}, {.folder = quick.folder()});
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out == "log_dir: " + moved.string() + "\n");
  CHECK(json_in(moved, "run.json")["resumed_from"] == moved.string() + "/model-10.safetensors");
  CHECK_FALSE(fs::exists(branch));
}

TEST_CASE("continue: with another log_dir it is a branch, and the folder stays as it was") {
  const Quick quick;
  REQUIRE(run(quick.train()).exit_code == 0);
  const std::string record = read_file(fs::path(quick.log_dir()) / "run.json");
  const fs::path other = quick.folder() / "other";
  const Outcome outcome = go_on(quick.log_dir(), {"log_dir=" + other.string(), "max_epoch=3"});
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(holds(outcome.err, "a branch of " + quick.log_dir()));
  CHECK(fs::exists(other / "model-15.safetensors"));
  CHECK(read_file(fs::path(quick.log_dir()) / "run.json") == record);
}

TEST_CASE("continue: a folder without --resume is 2, one without a run 5, and nothing happens") {
  const Quick quick;
  REQUIRE(run(quick.train()).exit_code == 0);
  const std::string record = read_file(fs::path(quick.log_dir()) / "run.json");
  const Outcome refused = run({"train", "--runtime", "null", quick.log_dir(), "max_epoch=3"});
  CHECK(refused.exit_code == 2);
  CHECK(holds_in_order(refused.err, {quick.log_dir(), "the log folder of a run", "a manifest",
                                     "hint: add --resume to continue the run in it"}));
  CHECK(read_file(fs::path(quick.log_dir()) / "run.json") == record);

  const Folder empty;
  const Outcome none = go_on(empty.path());
  CHECK(none.exit_code == 5);
  CHECK(holds_in_order(none.err, {empty.path(), "a folder without manifest.resolved.json",
                                  "a manifest, or the log folder of a run"}));
}

TEST_CASE("continue: the last line of a training that was interrupted says how") {
  const Quick quick(0.1, kLong);
  const fs::path log_dir = quick.folder() / "it's a log";
  const std::string plugins = quick.folder();  // there are none
  Start start({"train", "--runtime", "null", quick.manifest(), "log_dir=" + log_dir.string(),
               "--plugin-path", plugins});
  REQUIRE(Start::wait_for(quick.events(), "before_run 1\n"));
  start.signal(SIGINT);
  const Outcome interrupted = start.finish();
  INFO(interrupted.err);
  const std::string quoted = "'" + quick.folder().string() + "/it'\\''s a log'";
  const std::string line = "continue with: broch train " + quoted +
                           " --resume --runtime null --plugin-path " + plugins + "\n";
  CHECK(interrupted.err.ends_with(line));
  CHECK(read_file(log_dir / "log.log").ends_with(line));
}

TEST_CASE("continue: a training that failed says how to go on from its last checkpoint") {
  const Folder folder;
  const std::string log_dir = folder.path() / "log";
  const Words bad{"optimizer.with.learning_rate=1e30", "+callbacks=\"nan-guard\""};
  const Words words{"log_dir=" + log_dir, "~callbacks[scheduled-hyper-param-setter]"};
  const Outcome without = run(digits({"train"}, {words[0], words[1], bad[0], bad[1]}));
  CHECK(without.exit_code == 6);
  CHECK_FALSE(holds(without.err, "broch train "));

  const Outcome first = run(digits({"train"}, {words[0], words[1], "max_epoch=1"}));
  CHECK(first.exit_code == 0);
  CHECK_FALSE(holds(first.err, "broch train "));
  const Outcome second = run({"train", log_dir, "--resume", "max_epoch=2", bad[0], bad[1]});
  INFO(second.err);
  CHECK(second.exit_code == 6);
  CHECK(second.err.ends_with("continue from the last checkpoint with: broch train " + log_dir +
                             " --resume\n"));
}
