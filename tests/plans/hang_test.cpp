// hang_test.cpp: sources that do not come back, and what the program does about them.
#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "cli_harness/cli_harness.hpp"

namespace {

using broch::cli_harness::count;
using broch::cli_harness::Folder;
using broch::cli_harness::Json;
using broch::cli_harness::Training;
using Clock = std::chrono::steady_clock;

// A training that begins with the object and whose source, or callback, hangs at its third point.
class Hanging {
 public:
  Hanging(const std::string& source, const std::string& where, const Json& runtime = Json::object())
      : trace_(folder_.path() / "trace"),
        training_(folder_, "run", manifest(source, where, runtime)),
        pid_(training_.start({"--runtime", "null"})) {}

  bool wait_for(const std::string& words) const {
    for (int i = 0; i < 1000; ++i, usleep(10'000))
      if (count(trace(), words) > 0) return true;
    return false;
  }
  void signal(int number) {
    kill(pid_, number);
    signalled_ = Clock::now();
  }
  // Once; seconds() are those since the signal.
  int finish() {
    const int exit_code = Training::wait(pid_);
    seconds_ = std::chrono::duration<double>(Clock::now() - signalled_).count();
    return exit_code;
  }
  double seconds() const { return seconds_; }
  int resume(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--runtime", "null", "--resume"});
    return training_.run(arguments);
  }
  std::string stats() const { return broch::test::read_file(training_.log_dir() / "stats.json"); }
  std::string talk() const { return training_.talk(); }
  std::string trace() const { return broch::test::read_file(trace_); }

 private:
  Json manifest(const std::string& source, const std::string& where, const Json& runtime) const {
    const Json hanging{{"use", source == "source" ? "test.hanging-source" : "test.hanging-flow"},
                       {"with", {{"where", where}, {"trace", trace_}}}};
    const Json recorder{{"use", "test.recorder"},
                        {"with", {{"events", {"trigger_step", "after_train"}}, {"trace", trace_}}}};
    Json made{{"broch", 1},
              {"plugins", {HANGING, RECORDER, MODELS}},
              {"model", {{"use", "test.flat"}}},
              {"callbacks", {recorder, "model-saver"}},
              {"extra_callbacks", Json::array()},
              {"monitors", {"json-writer"}},
              {"runtime", runtime},
              {"steps_per_epoch", 2},
              {"max_epoch", where == "stop" ? 1 : 9}};
    if (source == "source") {
      made["data"] = hanging;
    } else if (source == "inference") {
      const Json validation{
          {"name", "validation"},
          {"use", "inference-runner"},
          {"with",
           {{"dataflow", hanging},
            {"inferencers", {{{"use", "scalar-stats"}, {"with", {{"names", {"cost"}}}}}}}}}};
      const Json behind{{"use", "test.recorder"},
                        {"with", {{"events", {"trigger_epoch"}}, {"trace", trace_}}}};
      made["callbacks"].insert(made["callbacks"].end(), {validation, behind});
      made["dataflow"] = {{"use", "test.rows"}, {"with", {{"rows", {{1}}}}}};
    } else if (source == "callback") {
      made["callbacks"].push_back({{"name", "hanger"},
                                   {"use", "test.hanging-callback"},
                                   {"with", {{"where", where}, {"trace", trace_}}}});
      made["dataflow"] = {{"use", "test.rows"}, {"with", {{"rows", {{1}}}}}};
    } else {
      made["data"] = {{"use", source == "flow" ? "feed" : "queue"},
                      {"with", {{"dataflow", hanging}}}};
    }
    return made;
  }

  Folder folder_;
  std::string trace_;
  Training training_;
  pid_t pid_;
  Clock::time_point signalled_ = Clock::now();
  double seconds_ = 0;
};

const Json kOneSecond = {{"step_timeout", 1}};

// They wait at the same time, so that the tests together wait once.
struct Trainings {
  Hanging source{"source", "next"}, flow{"flow", "next"}, queued{"queued", "next"},
      stop{"source", "stop"};
  Hanging late_flow{"flow", "next", kOneSecond},
      late_callback{"callback", "before_run", kOneSecond};
  Trainings() {
    for (Hanging* one : {&source, &flow, &queued}) {
      REQUIRE(one->wait_for("hangs in next"));
      one->signal(SIGTERM);
    }
  }
};
Trainings& trainings() {
  static Trainings all;
  return all;
}

}  // namespace

TEST_CASE("hang: a source that ignores SIGTERM in next is named and left after 5 seconds") {
  struct Case {
    Hanging& hanging;
    const char* name;
  };
  for (const Case& one : {Case{trainings().source, "test.hanging-source"},
                          Case{trainings().flow, "test.hanging-flow"}}) {
    const int exit_code = one.hanging.finish();
    const std::string talk = one.hanging.talk();
    INFO(talk);
    CHECK(exit_code == 143);
    CHECK(one.hanging.seconds() > 4.5);
    CHECK(one.hanging.seconds() < 8);
    CHECK(count(talk, "did not return from next within 5 seconds of the signal") == 1);
    CHECK(count(talk, one.name) > 0);
    // Everybody else ends as always.
    CHECK(count(one.hanging.trace(), "trigger_step 1,1,2\nhangs in next\nafter_train 2,0,2\n") ==
          1);
  }
}

TEST_CASE("hang: a dataflow that hangs behind a queue holds up its end by 5 seconds") {
  Hanging& queued = trainings().queued;
  const int exit_code = queued.finish();
  INFO(queued.talk());
  CHECK((exit_code == 75 || exit_code == 143));
  CHECK(queued.seconds() < 8);
  CHECK(count(queued.talk(), "did not return from stop within 5 seconds: continuing without it") ==
        1);
  CHECK(count(queued.trace(), "after_train") == 1);
}

TEST_CASE("hang: a source that hangs in stop is named, and the run is none the worse") {
  Hanging& stop = trainings().stop;
  const int exit_code = stop.finish();
  INFO(stop.talk());
  CHECK(exit_code == 0);
  CHECK(count(stop.talk(), "Training has finished!") == 1);
  CHECK(count(stop.talk(), "test.hanging-source") > 0);
  CHECK(count(stop.talk(), "did not return from stop within 5 seconds: continuing without it") ==
        1);
  CHECK(count(stop.talk(), "log_dir: ") == 1);
  CHECK(count(stop.trace(), "after_train 1,1,2\nhangs in stop\n") == 1);
}

TEST_CASE("hang: one that heeds the cancellation ends cleanly, at once and saved") {
  for (const char* source : {"source", "flow", "queued"}) {
    CAPTURE(source);
    Hanging waiting(source, "wait");
    REQUIRE(waiting.wait_for("waits"));
    REQUIRE(waiting.wait_for("trigger_step 1,1,2"));
    waiting.signal(SIGTERM);
    const int exit_code = waiting.finish();
    INFO(waiting.talk());
    CHECK(exit_code == 75);
    CHECK(count(waiting.talk(), "within 5 seconds") == 0);
    CHECK(count(waiting.talk(),
                "Told to end (by a signal or broch ctl stop) and exiting main loop.") == 1);
    // Behind a queue the second epoch may not have begun.
    CHECK(count(waiting.trace(), "after_train") == 1);
    CHECK(waiting.trace().ends_with(",2\n"));
  }
}

TEST_CASE("hang: a second SIGTERM does not wait for the 5 seconds") {
  Hanging source("source", "next");
  REQUIRE(source.wait_for("hangs in next"));
  source.signal(SIGTERM);
  usleep(200'000);
  source.signal(SIGTERM);
  CHECK(source.finish() == 143);
  CHECK(count(source.talk(), "within 5 seconds") == 0);
  CHECK(count(source.trace(), "after_train") == 0);
}

TEST_CASE("hang: a signal ends the wait of an inference, which a resumed run begins again") {
  Hanging validation("inference", "wait");
  REQUIRE(validation.wait_for("waits"));
  validation.signal(SIGTERM);
  const int exit_code = validation.finish();
  INFO(validation.talk());
  CHECK(exit_code == 75);
  CHECK(count(validation.talk(), "within 5 seconds") == 0);
  CHECK(count(validation.trace(), "trigger_epoch") == 0);
  CHECK(count(validation.trace(), "after_train") == 1);
  const std::string data = R"({"use":"test.rows","with":{"rows":[[1],[2]]}})";
  CHECK(validation.resume({"max_epoch=1", "callbacks[validation].with.dataflow=" + data}) == 0);
  CHECK(count(validation.trace(), "trigger_epoch 1,1,2") == 1);
  CHECK(count(validation.trace(), "trigger_step") == 2);
  CHECK(count(validation.stats(), "validation_cost") == 1);
}

TEST_CASE("hang: a step that waits for data longer than it may ends the training, named") {
  for (const char* source : {"flow", "queued"}) {
    CAPTURE(source);
    Hanging waiting(source, "wait", kOneSecond);
    const int exit_code = waiting.finish();
    INFO(waiting.talk());
    CHECK(exit_code == 1);
    CHECK(count(waiting.talk(), "a step takes longer than 1 second") == 1);
    CHECK(count(waiting.talk(), "within 5 seconds") == 0);
    CHECK(count(waiting.talk(), "not finished after 1") == 1);
    CHECK(count(waiting.talk(), "it waits for a data point of") == 1);
    CHECK(count(waiting.talk(), "test.hanging-flow") > 0);
    CHECK(count(waiting.talk(), "in step 1 of 2 of epoch 2") == 1);
    CHECK(count(waiting.trace(), "trigger_step 1,1,2\n") == 1);
    CHECK(waiting.trace().ends_with("after_train 2,0,2\n"));
    CHECK(waiting.resume({"max_epoch=1"}) == 0);  // the first epoch was saved
  }
}

TEST_CASE("hang: a step that does not come back within its time ends the program") {
  struct Case {
    Hanging& hanging;
    const char* words;
  };
  for (const Case& one : {Case{trainings().late_flow, "(test.hanging-flow) during next"},
                          Case{trainings().late_callback,
                               "it is in callback 'hanger' (test.hanging-callback) "
                               "during before_run"}}) {
    const int exit_code = one.hanging.finish();
    INFO(one.hanging.talk());
    CHECK(exit_code == 1);
    CHECK(count(one.hanging.talk(), one.words) == 1);
    CHECK(count(one.hanging.talk(), "has not ended within 5 seconds since") == 1);
    CHECK(one.hanging.trace().ends_with("after_train 2,0,2\n"));
  }
}

TEST_CASE("hang: a step that comes back too late fails at its end") {
  Hanging late("callback", "late", kOneSecond);
  const int exit_code = late.finish();
  INFO(late.talk());
  CHECK(exit_code == 1);
  CHECK(count(late.talk(), "it is in callback 'hanger'") == 1);
  CHECK(count(late.talk(), "in step 1 of 2 of epoch 2") == 1);
  CHECK(count(late.trace(), "trigger_step") == 2);
  CHECK(late.resume({"callbacks[hanger].with.where=nowhere", "max_epoch=3"}) == 0);
}
