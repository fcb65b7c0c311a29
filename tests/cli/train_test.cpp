// train_test.cpp: how a training ends: exit code, events, folder.
#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>

#include "cli/program.hpp"

using namespace broch::cli_test;
namespace fs = std::filesystem;

namespace {

// Until a training is in its second step.
void await_second_step(const Quick& quick) {
  REQUIRE(Start::wait_for(quick.events(), "before_run 1\n"));
}

// The last line that the callback wrote, and whether the line before is the end of a step.
void check_ended_between_steps(const Quick& quick) {
  const std::string events = read_file(quick.events());
  INFO(events);
  REQUIRE(events.size() > 1);
  const size_t last = events.rfind('\n', events.size() - 2) + 1;
  CHECK(events.substr(last).starts_with("after_train "));
  const size_t before = events.rfind('\n', last - 2) + 1;
  CHECK(events.substr(before).starts_with("trigger_step "));
  // Both tell the same global_step.
  CHECK(events.substr(events.rfind(' ')) ==
        events.substr(events.rfind(' ', last - 1), last - events.rfind(' ', last - 1)));
}

int folders_beside(const fs::path& path) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(path.parent_path()))
    count += entry.is_directory() && entry.path() != path;
  return count;
}

}  // namespace

TEST_CASE("train: a finished run is 0 and its one piece of data is the log folder") {
  const Quick quick;
  const Outcome outcome = run(quick.train());
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out == "log_dir: " + quick.log_dir() + "\n");
  CHECK(holds(outcome.err, "Training has finished"));
  CHECK(holds(read_file(quick.events()), "after_train 10\n"));
  CHECK(fs::exists(fs::path(quick.log_dir()) / "model-10.safetensors"));
}

TEST_CASE("train: the log begins with the command line, which the terminal does not repeat") {
  const Quick quick;
  const Outcome outcome = run(quick.train());
  const std::string log = read_file(fs::path(quick.log_dir()) / "log.log");
  INFO(log);
  CHECK(log.substr(8).starts_with(" info started in " + fs::current_path().string() + ": "));
  CHECK(holds(log.substr(0, log.find('\n')), "broch train "));
  CHECK(!holds(outcome.err, "started in"));
}

TEST_CASE(
    "train: the first SIGINT, SIGTERM, SIGHUP or SIGUSR1 ends it at a step boundary, with "
    "after_train") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
    const Quick quick(0.3, kLong);
    Start start(quick.train());
    await_second_step(quick);
    start.signal(number);
    const Outcome outcome = start.finish();
    INFO(outcome.err);
    CAPTURE(number);
    // No data whose place could be saved, so nothing says that a resumed run goes on exactly.
    CHECK((outcome.exit_code == 75 || outcome.exit_code == (number == SIGINT ? 130 : 143)));
    check_ended_between_steps(quick);
  }
}

TEST_CASE("train: a second SIGINT ends it at once, in the middle of a step") {
  const Quick quick(20, kLong);
  Start start(quick.train());
  REQUIRE(Start::wait_for(quick.events(), "before_run 0\n"));
  const auto begin = std::chrono::steady_clock::now();
  start.signal(SIGINT);
  usleep(200'000);
  start.signal(SIGINT);
  const Outcome outcome = start.finish();
  CHECK(outcome.exit_code == 130);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
  CHECK_FALSE(holds(read_file(quick.events()), "after_train"));
}

TEST_CASE("train: a signal that is sent to it and to its group is one request") {
  const Quick quick(1, kLong);
  Start start(quick.train());
  REQUIRE(Start::wait_for(quick.events(), "before_run 0\n"));
  for (int i = 0; i < 3; ++i) {
    start.signal(SIGTERM);
    usleep(5'000);
  }
  const Outcome outcome = start.finish();
  INFO(outcome.err);
  CHECK(holds(outcome.err, "exiting main loop"));
  check_ended_between_steps(quick);
}

TEST_CASE("train: a signal after SIGUSR1 does not end it at once, as that is one request") {
  const Quick quick(1, kLong);
  Start start(quick.train());
  REQUIRE(Start::wait_for(quick.events(), "before_run 0\n"));
  for (const int number : {SIGUSR1, SIGUSR1, SIGTERM, SIGUSR1}) {
    start.signal(number);
    usleep(120'000);  // so that they are not one because they come together
  }
  const Outcome outcome = start.finish();
  INFO(outcome.err);
  CHECK(holds(outcome.err, "exiting main loop"));
  check_ended_between_steps(quick);
}

TEST_CASE("train: an interrupted run is 75 with its state saved, and --resume ends it with 0") {
  const Folder folder;
  const fs::path log_dir = folder.path() / "log";
  const Words words = digits({"train"}, {"log_dir=" + log_dir.string()});
  Start start(words);
  REQUIRE(Start::wait_for(log_dir / "log.log", "Epoch 1 (global_step 40) finished"));
  start.signal(SIGINT);
  const Outcome interrupted = start.finish();
  INFO(interrupted.err);
  REQUIRE(interrupted.exit_code == 75);
  CHECK(fs::exists(log_dir / "checkpoint"));
  Words again = words;
  again.push_back("--resume");
  const Outcome resumed = run(again);
  INFO(resumed.err);
  CHECK(resumed.exit_code == 0);
  CHECK(read_file(log_dir / "stats.json") == read_file(trained_digits() / "stats.json"));
}

TEST_CASE("train: with --resume=auto the same command starts a run and goes on with it") {
  const Folder folder;
  for (const bool by_manifest : {false, true}) {
    CAPTURE(by_manifest);
    const fs::path log_dir = folder.path() / (by_manifest ? "a" : "b");
    const auto train = [&](const std::string& epochs) {
      return run(digits({"train"}, {"log_dir=" + log_dir.string(), "max_epoch=" + epochs,
                                    by_manifest ? "resume=auto" : "--resume=auto"}));
    };
    CHECK(train("2").exit_code == 0);
    const Outcome resumed = train("3");
    INFO(resumed.err);
    CHECK(resumed.exit_code == 0);
    CHECK(holds(resumed.err, "resumed from " + log_dir.string() + "/model-80.safetensors"));
    CHECK_FALSE(holds(resumed.err, "Start Epoch 2 "));
  }
}

TEST_CASE("train: what is to be resumed by itself stays in one folder") {
  const Folder folder;
  const std::string log_dir = (folder.path() / "log").string();
  const Outcome outcome =
      run(digits({"train"}, {"log_dir=" + log_dir, "resume=auto", "log_dir_action=new"}));
  CHECK(outcome.exit_code == 3);
  CHECK(holds_in_order(outcome.err, {"/log_dir_action", "\"new\"", "\"backup\""}));
  CHECK_FALSE(fs::exists(log_dir));
}

TEST_CASE("train: a cost that is not finite is 6, with after_train and the step") {
  const Folder folder;
  const Outcome outcome =
      run(digits({"train"}, {"log_dir=" + (folder.path() / "log").string(),
                             "optimizer.with.learning_rate=1e30", "+callbacks=\"nan-guard\""}));
  INFO(outcome.err);
  CHECK(outcome.exit_code == 6);
  CHECK(holds_in_order(outcome.err, {"nan-guard", "cost is ", "at global_step ", "lower the"}));
  CHECK(holds(read_file(folder.path() / "log" / "log.log"), "nan-guard"));
}

TEST_CASE("train: a second run into the folder renames the first one's") {
  const Quick quick;
  for (int time = 0; time < 3; ++time) CHECK(run(quick.train()).exit_code == 0);
  CHECK(folders_beside(quick.log_dir()) == 2);
  CHECK(fs::exists(fs::path(quick.log_dir()) / "model-10.safetensors"));
}

TEST_CASE("train: log_dir_action keep, delete, new and quit do what they say") {
  const Quick quick;
  const fs::path old = fs::path(quick.log_dir()) / "old.txt";
  const auto again = [&](const std::string& action) {
    return run(quick.train({"log_dir_action=" + action}));
  };
  const Outcome first = again("keep");
  REQUIRE(first.exit_code == 0);
  CHECK_FALSE(holds(first.err, "of an earlier run"));
  std::ofstream(old) << "old";
  const Outcome kept = again("keep");
  CHECK(kept.exit_code == 0);
  CHECK(holds(kept.err, "has checkpoints of an earlier run, up to model-"));
  CHECK(fs::exists(old));
  CHECK(again("new").out == "log_dir: " + quick.log_dir() + "-2\n");
  const Outcome quit = again("quit");
  CHECK(quit.exit_code == 5);
  CHECK(quit.out == "");
  CHECK(holds_in_order(quit.err, {quick.log_dir(), "log_dir_action is quit", "hint: choose"}));
  CHECK(fs::exists(old));
  CHECK(again("delete").exit_code == 0);
  CHECK_FALSE(fs::exists(old));
}

TEST_CASE("train: a log folder that a living run uses is refused with 5 and left as it is") {
  const Quick quick(0.2, kLong);
  Start first(quick.train());
  await_second_step(quick);
  for (const char* action : {"backup", "keep", "delete"}) {
    CAPTURE(action);
    const Outcome second = run(quick.train({std::string("log_dir_action=") + action}));
    CHECK(second.exit_code == 5);
    CHECK(second.out == "");
    CHECK(holds_in_order(second.err, {quick.log_dir(), "in use by another run", "hint: wait"}));
  }
  CHECK(run(quick.train({"--resume"})).exit_code != 0);
  CHECK(fs::exists(fs::path(quick.log_dir()) / "log.log"));
  CHECK(folders_beside(quick.log_dir()) == 0);
  first.signal(SIGINT);
  first.finish();
  CHECK(run(quick.train({"max_epoch=1", "log_dir_action=delete"})).exit_code == 0);
}

TEST_CASE("train: a log folder that cannot be made is 5 and says why") {
  const Folder folder;
  const fs::path locked = folder.path() / "locked";
  fs::create_directory(locked);
  fs::permissions(locked, fs::perms::owner_read | fs::perms::owner_exec);
  const Quick quick;
  Surroundings bound;
  bound.bound_by_rights = true;
  const Outcome outcome =
      run({"train", "--runtime", "null", quick.manifest(), "log_dir=" + (locked / "log").string()},
          bound);
  fs::permissions(locked, fs::perms::owner_all);
  CHECK(outcome.exit_code == 5);
  CHECK(outcome.out == "");
  CHECK(holds_in_order(outcome.err, {"locked/log", "Permission denied", "hint: check"}));
}

TEST_CASE("train: in a folder whose name is no UTF-8 it does not begin, and check says so") {
  const Quick quick;
  const Folder folder;
  const fs::path latin = folder.path() / "caf\xe9";
  fs::create_directory(latin);
  Words words = quick.train();
  for (std::string& word : words)
    if (word.starts_with("log_dir=")) word = "log_dir=log";
  for (const Words& start : {words, Words{"check", quick.manifest(), "log_dir=log"}}) {
    const Outcome outcome = run(start, {.folder = latin});
    CHECK(outcome.exit_code == 5);
    CHECK(holds_in_order(outcome.err, {"caf\\xe9", "no UTF-8", "expected UTF-8", "hint: "}));
  }
  CHECK(fs::is_empty(latin));
}

TEST_CASE("train: in a log folder that becomes read-only it goes on without checkpoints, to 5") {
  const Quick quick(0.1);
  Surroundings bound;
  bound.bound_by_rights = true;
  Start start(quick.train(), bound);
  await_second_step(quick);
  fs::permissions(quick.log_dir(), fs::perms::owner_read | fs::perms::owner_exec);
  const Outcome outcome = start.finish();
  fs::permissions(quick.log_dir(), fs::perms::owner_all);
  INFO(outcome.err);
  CHECK(outcome.exit_code == 5);
  const std::string failed = "error model-saver: no checkpoint was saved";
  CHECK(holds_in_order(outcome.err, {failed, "model-5", failed, "model-10", "Permission denied",
                                     "hint: check the permissions", "trying once more",
                                     "error the last checkpoint is not in", "Permission denied"}));
  CHECK(holds(read_file(quick.events()), "after_train 10\n"));
}

TEST_CASE("train: records that cannot be written are told, and 5 at the end") {
  const Folder folder;
  const fs::path log_dir = folder.path() / "log";
  Surroundings bound;
  bound.bound_by_rights = true;
  Start start(digits({"train"}, {"log_dir=" + log_dir.string(), "max_epoch=20",
                                 "~callbacks[model-saver]", "~callbacks[min-saver]"}),
              bound);
  REQUIRE(Start::wait_for(log_dir / "log.log", "Epoch 1 (global_step 40) finished"));
  fs::permissions(log_dir, fs::perms::owner_read | fs::perms::owner_exec);
  const Outcome outcome = start.finish();
  fs::permissions(log_dir, fs::perms::owner_all);
  INFO(outcome.err);
  CHECK(outcome.exit_code == 5);
  CHECK(holds(outcome.err, "Training has finished"));
  CHECK(
      holds_in_order(outcome.err, {"cannot write stats.json", "error stats.json was not written"}));
}

TEST_CASE("train: a checkpoint that could not be saved is tried once more at the end") {
  const Quick quick(0.1);
  Surroundings bound;
  bound.bound_by_rights = true;
  const Words once{"callbacks[model-saver].when={\"every_k_steps\": 4}", "max_epoch=1"};
  Start start(quick.train(once), bound);
  await_second_step(quick);
  fs::permissions(quick.log_dir(), fs::perms::owner_read | fs::perms::owner_exec);
  const bool failed = Start::wait_for(fs::path(quick.log_dir()) / "log.log", "no checkpoint was");
  fs::permissions(quick.log_dir(), fs::perms::owner_all);
  const Outcome outcome = start.finish();
  INFO(outcome.err);
  CHECK(failed);
  CHECK(outcome.exit_code == 0);
  CHECK(holds_in_order(outcome.err, {"trying once more", "saved to ", "model-5"}));
  CHECK(run({"ckpt", "verify", quick.log_dir() + "/model-5.safetensors"}).exit_code == 0);
}

TEST_CASE("train: a file-size limit below the records ends it with 5 and leaves no half file") {
  const Quick quick;
  Surroundings limited;
  limited.file_bytes = 450;
  const Outcome outcome = run(quick.train({"-q"}), limited);
  INFO(outcome.err);
  CHECK(outcome.exit_code == 5);
  // stderr is a file here, too, and cut behind that.
  CHECK(holds_in_order(outcome.err, {"manifest.json", "File too large"}));
  CHECK_FALSE(fs::exists(quick.log_dir()));
}

TEST_CASE("train: under a file-size limit below a checkpoint it goes on, to 5, with no half one") {
  const Folder folder;
  const fs::path log_dir = folder.path() / "log";
  Surroundings limited;
  limited.file_bytes = 32 << 10;
  const Outcome outcome =
      run(digits({"train"}, {"log_dir=" + log_dir.string(), "monitors=[]", "model.with.width=16"}),
          limited);
  INFO(outcome.err);
  CHECK(outcome.exit_code == 5);
  CHECK(holds_in_order(outcome.err, {"no checkpoint was saved", "model-40", "File too large",
                                     "error min-saver: the best validation_error so far",
                                     "no checkpoint was saved", "model-120", "trying once more",
                                     "the last checkpoint is not in", "File too large"}));
  for (const auto& entry : fs::directory_iterator(log_dir))
    CHECK_FALSE(holds(entry.path().filename(), "model"));
}
