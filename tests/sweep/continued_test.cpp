// continued_test.cpp: sweeps that are interrupted, killed, and started again; trials that fail.
#include <doctest/doctest.h>

#include <csignal>

#include "launch.hpp"
#include "sweeping.hpp"

using namespace broch::sweep_test;

namespace {

constexpr double kPause = 0.03;  // seconds per step
const Json kFour = {{"parameters", {{"vars.x", {{"values", {1, 2, 3, 5}}}}}}, {"parallel", 2}};

// Every trial has finished, and each of its steps was made exactly once, whatever happened.
void check_complete(const Sweeping& sweep) {
  const Json json = sweep.json();
  REQUIRE(json["trials"].size() == 4);
  for (const Json& trial : json["trials"]) CHECK(trial["state"] == "finished");
  for (const char* x : {"1", "2", "3", "5"}) {
    CAPTURE(x);
    CHECK(sweep.steps(x) == kSteps * kEpochs);
  }
}

}  // namespace

TEST_CASE("sweep: killed, it continues; nothing is trained twice") {
  for (const char* step : {"trigger_step 2", "trigger_step 13"}) {
    CAPTURE(step);
    Sweeping sweep(kPause);
    sweep.write(kFour);
    for (const char* x : {"1", "3"}) {  // twice
      Start start(sweep.command());
      REQUIRE(Start::wait_for(sweep.events(x), step));
      start.signal(SIGKILL);
      CHECK(start.finish().exit_code == 128 + SIGKILL);
    }
    const Outcome rest = sweep.run();
    INFO(rest.err);
    CHECK(rest.exit_code == 0);
    CHECK(holds(rest.err, "trial 3 of 4 continues: vars.x=3"));
    check_complete(sweep);
  }
}

TEST_CASE("sweep: a signal saves all trials, and the next start continues them") {
  for (const int number : {SIGINT, SIGTERM}) {
    Sweeping sweep(kPause);
    sweep.write(kFour);
    Start start(sweep.command());
    REQUIRE(Start::wait_for(sweep.events("2"), "trigger_step 7"));
    start.signal(number);
    const Outcome stopped = start.finish();
    INFO(stopped.err);
    CHECK(stopped.exit_code == 75);
    CHECK(holds(stopped.out, "interrupted"));
    const Json record = sweep.record();
    CHECK(record["trials"][0]["state"] == "interrupted");
    CHECK(record["trials"][3]["state"] == "waiting");
    check_complete(sweep);
  }
}

TEST_CASE("sweep: when the list of trials cannot be written, all trials save their state") {
  Sweeping sweep;
  // The last one needs longest for its step, and so ends after the others.
  sweep.write({{"parameters", {{"vars.seconds", {{"values", {0.1, 0.2, 0.6}}}}}}, {"parallel", 3}});
  Start start(sweep.command());
  for (const char* trial : {"/trial-0001", "/trial-0002", "/trial-0003"})
    REQUIRE(Start::wait_for(sweep.folder() + trial + ".txt", "Start Epoch 1"));
  std::filesystem::remove(sweep.folder() + "/sweep.json");
  std::filesystem::create_directory(sweep.folder() + "/sweep.json");
  start.signal(SIGTERM);
  const Outcome outcome = start.finish();
  INFO(outcome.err);
  CHECK(outcome.exit_code == 5);
  CHECK(holds(outcome.err, "sweep.json: is a directory"));
  for (const char* trial : {"/trial-0001", "/trial-0002", "/trial-0003"})
    CHECK(Json::parse(read_file(sweep.folder() + trial + "/run.json"))["exit"] == 75);
}

TEST_CASE("sweep: started by a program that ignores the ends of its children") {
  Sweeping sweep;
  sweep.write(kFour);
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  Start start(sweep.command());
  std::signal(SIGCHLD, before);
  CHECK(start.finish().exit_code == 0);
  check_complete(sweep);
}

TEST_CASE("sweep: one that runs can be shown, and keeps its folder for itself") {
  Sweeping sweep(0.5);
  sweep.write(kFour);
  Start start(sweep.command());
  REQUIRE(Start::wait_for(sweep.events("1"), "trigger_step 7"));
  const Json shown = sweep.json({"--show"});
  CHECK(trial_of(shown, 1)["state"] == "running");
  CHECK(trial_of(shown, 1)["value"] > 4.25);
  CHECK(trial_of(shown, 3)["value"].is_null());
  const Outcome second = sweep.run();
  CHECK(second.exit_code == 5);
  CHECK(holds_in_order(second.err, {sweep.folder() + ": in use by another run", "hint: wait",
                                    "choose another \"folder\""}));
  start.signal(SIGTERM);
  CHECK(start.finish().exit_code == 75);
}

TEST_CASE("sweep: a trial that somebody else stops is left alone until the next start") {
  Sweeping sweep(kPause);
  sweep.write(kFour);
  Start start(sweep.command());
  REQUIRE(Start::wait_for(sweep.events("1"), "trigger_step 7"));
  REQUIRE(run({"ctl", sweep.folder() + "/trial-0001", "stop"}).exit_code == 0);
  const Outcome outcome = start.finish();
  CHECK(outcome.exit_code == 75);
  CHECK(holds(outcome.err, "trial 1 was stopped by somebody else"));
  CHECK(sweep.record()["trials"][3]["state"] == "finished");
  check_complete(sweep);
}

TEST_CASE("sweep: trials that fail are recorded and do not end it; --retry starts them again") {
  Sweeping sweep;
  sweep.write({{"parameters", {{"vars.even", {{"values", {2, 3, 4}}}}}}});
  const Outcome outcome = sweep.run();
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(holds(outcome.err,
              "trial 2 has failed with exit code 3; see " + sweep.folder() + "/trial-0002.txt"));
  CHECK(holds(outcome.out, "failed (3)"));
  CHECK(holds(read_file(sweep.folder() + "/trial-0002.txt"), "an odd number"));
  CHECK_FALSE(holds(sweep.run().err, "starts"));
  CHECK(holds(sweep.run({"--retry"}).err, "trial 2 of 3 continues"));
  CHECK(sweep.json()["trials"][2]["exit"] == 3);
}

TEST_CASE("sweep: no trial has the metric") {
  Sweeping sweep;
  sweep.write({{"metric", "scor"}});
  const Outcome outcome = sweep.run();
  CHECK(outcome.exit_code == 1);
  CHECK(holds_in_order(outcome.err, {"trial 1 has failed with exit code 0: no metric scor, did you "
                                     "mean 'score'?",
                                     "no trial has finished"}));
  CHECK_FALSE(holds(outcome.out, "picture"));
}

TEST_CASE("sweep: trials that run side by side share the cores") {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  for (const int core : {0, 2, 3, 5, 8}) CPU_SET(core, &usable);
  const auto list = [&](int64_t index, int64_t slots) {
    const cpu_set_t set = broch::sweep::cores_of({index}, slots, usable);
    std::vector<int> cores;
    for (int core = 0; core < 16; ++core)
      if (CPU_ISSET(core, &set)) cores.push_back(core);
    return cores;
  };
  using Cores = std::vector<int>;
  CHECK(list(0, 1) == Cores{0, 2, 3, 5, 8});
  CHECK(list(0, 2) == Cores{0, 2});
  CHECK(list(1, 2) == Cores{3, 5, 8});
  CHECK(list(4, 5) == Cores{8});
  CHECK(list(9, 10) == Cores{8});
  CHECK(list(0, 10) == Cores{0});
}
