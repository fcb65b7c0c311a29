// input_test.cpp: broch.input/1: a trainer that takes data points itself, and what callbacks see.
#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <sstream>

#include "cli_harness/cli_harness.hpp"

namespace {

using broch::cli_harness::count;
using broch::cli_harness::Folder;
using broch::cli_harness::Json;
using broch::cli_harness::Training;
using Sums = std::vector<double>;

const Json kRows = {{1}, {2}, {4}, {8}, {16}, {32}, {64}, {128}};

Json rows(const Json& more = Json::object()) {
  Json with{{"rows", kRows}};
  with.update(more);
  return {{"use", "test.rows"}, {"with", with}};
}

// source: an input source around those rows.
Json input_manifest(const Json& trainer, const Json& source, int steps, int epochs) {
  return {{"broch", 1},
          {"plugins", {SUMS, NUMBERED, RECORDER, MODELS}},
          {"trainer", trainer},
          {"data", source},
          {"callbacks", {"model-saver", "test.watcher"}},
          {"monitors", {"json-writer"}},
          {"steps_per_epoch", steps},
          {"max_epoch", epochs}};
}

Json feed(const Json& flow = rows()) {
  return {{"use", "feed"}, {"with", {{"dataflow", flow}, {"infinite", false}}}};
}

Json sums(int towers, const Json& more = Json::object()) {
  Json with{{"towers", towers}, {"asks", towers}};
  with.update(more);
  return {{"use", "test.sums"}, {"with", with}};
}

// What a training says that has to fail.
std::string failure(const Json& trainer, const Json& source = feed()) {
  const Folder folder;
  const Training training(folder, "run", input_manifest(trainer, source, 2, 2));
  const int found = training.run();
  INFO(training.talk());
  CHECK(found == 1);
  return training.talk();
}

// What towers of a plan take, from the mean of each point.
Sums planned(const Json& source, int towers, int steps) {
  const Folder folder;
  const std::string trace = folder.path() / "trace";
  Json fetches{"mean"};
  if (towers == 2) fetches.push_back("1:mean");
  Json with_plan = input_manifest(
      towers == 1 ? Json("simple")
                  : Json{{"use", "sync-replicated"}, {"with", {{"devices", {"cpu:0", "cpu:1"}}}}},
      source, steps, 1);
  with_plan["model"] = {{"use", "test.slope"}};
  with_plan["callbacks"] = {
      {{"use", "test.recorder"}, {"with", {{"trace", trace}, {"fetch", fetches}}}}};
  const Training training(folder, "run", with_plan);
  REQUIRE(training.run() == 0);
  Sums found(4);
  std::istringstream lines(broch::test::read_file(trace));
  double value = 0;
  for (std::string name; lines >> name >> value;)
    if (name == "mean" || name == "1:mean") found[name == "mean" ? 0 : 1] += value;
  return found;
}

bool wait_for(const std::filesystem::path& file) {
  for (int i = 0; i < 3000; ++i, usleep(10'000))
    if (std::filesystem::exists(file)) return true;
  return false;
}

}  // namespace

TEST_CASE("input: a trainer takes the points that a plan would take") {
  const Json queue{{"use", "queue"}, {"with", {{"dataflow", rows()}}}};
  const Json staging{{"use", "staging"}, {"with", {{"input", queue}}}};
  for (const Json& source : {feed(), queue, staging})
    for (const int towers : {1, 2}) {
      CAPTURE(source.dump());
      CAPTURE(towers);
      const Folder folder;
      const Training training(folder, "run", input_manifest(sums(towers), source, 3, 1));
      REQUIRE(training.run() == 0);
      const Sums found = training.checkpoint(3).at("sums");
      CHECK(found == (towers == 1 ? Sums{7, 0, 0, 0} : Sums{21, 42, 0, 0}));
      CHECK(found == planned(source, towers, 3));
    }
}

TEST_CASE("input: a training that is killed goes on after the points that it consumed") {
  for (const int signal : {SIGKILL, SIGINT}) {
    CAPTURE(signal);
    const Folder folder;
    const Json waits = feed(rows({{"wait_at", 6}}));
    const Training training(folder, "run", input_manifest(sums(2), waits, 1, 4));
    const pid_t pid = training.start();
    REQUIRE(wait_for(training.log_dir() / "model-3.safetensors"));
    kill(pid, signal);
    const int exit_code = Training::wait(pid);
    INFO(training.talk());
    REQUIRE(exit_code == (signal == SIGKILL ? 137 : 75));
    REQUIRE(training.run({"--resume", "data.with.dataflow.with.wait_at=-1"}) == 0);
    CHECK(training.checkpoint(4).at("sums") == Sums{1 + 4 + 16 + 64, 2 + 8 + 32 + 128, 0, 0});
    // Of this start alone; one more where the kill came before the third checkpoint was whole.
    CHECK(training.stats().back().at("consumed_0") <= (signal == SIGKILL ? 2 : 1));
  }
}

TEST_CASE("input: the end of the data ends training quietly") {
  const Folder folder;
  const Training training(folder, "run", input_manifest(sums(3), feed(), 1, 9));
  REQUIRE(training.run() == 0);
  INFO(training.talk());
  CHECK(count(training.talk(), "the end of the data of input_source 'feed'") == 1);
  CHECK(training.stats().size() == 2);  // the third step lacks a point
  CHECK(training.checkpoint(2).at("sums") == Sums{1 + 8, 2 + 16, 4 + 32, 0});
}

TEST_CASE("input: a source of one function gives each tower its points, and goes on after them") {
  const Json source{{"use", "test.numbered"}};
  const Folder folder;
  const Training whole(folder, "whole", input_manifest(sums(2), source, 2, 3));
  REQUIRE_MESSAGE(whole.run() == 0, whole.talk());
  CHECK(whole.checkpoint(6).at("sums") == Sums{21, 621, 0, 0});
  const Training parts(folder, "parts", input_manifest(sums(2), source, 2, 3));
  REQUIRE(parts.run({"max_epoch=1"}) == 0);
  CHECK(parts.checkpoint(2).at("sums") == Sums{3, 203, 0, 0});
  REQUIRE(parts.run({"--resume"}) == 0);
  CHECK(parts.checkpoint(6).at("sums") == Sums{21, 621, 0, 0});

  const Training ending(folder, "ending", input_manifest(sums(2), source, 1, 9));
  REQUIRE(ending.run({"data.with.size=3"}) == 0);
  CHECK(ending.stats().size() == 3);
}

TEST_CASE("input: callbacks see flags, the size of a round and how many points were consumed") {
  const Folder folder;
  const Training training(folder, "run", input_manifest(sums(2), feed(), 3, 1));
  REQUIRE(training.run() == 0);
  const Json last = training.stats().back();
  CHECK(last.at("flags") == 1);
  CHECK(last.at("size") == 8);
  CHECK(last.at("consumed_0") == 3);
  CHECK(last.at("consumed_1") == 3);
  CHECK(last.at("consumed_2") == 0);

  Json without = input_manifest(sums(0, {{"declares", false}}), {}, 1, 1);
  without.erase("data");
  const Training empty(folder, "empty", without);
  REQUIRE(empty.run() == 0);
  CHECK(empty.stats().back().at("flags") == -1);
  CHECK(empty.stats().back().at("size") == -1);

  const Training unknown(folder, "unknown",
                         input_manifest(sums(1), feed(rows({{"known_size", false}})), 1, 1));
  REQUIRE(unknown.run() == 0);
  CHECK(unknown.stats().back().at("size") == -1);

  Json with_plan = input_manifest("simple", feed(), 3, 1);
  with_plan["model"] = {{"use", "test.slope"}};
  const Training plan(folder, "plan", with_plan);
  REQUIRE(plan.run() == 0);
  CHECK(plan.stats().back().at("consumed_0") == 3);
}

TEST_CASE("input: a failure of the source is its own, whatever the trainer makes of it") {
  for (const bool careless : {false, true}) {
    CAPTURE(careless);
    const std::string talk =
        failure(sums(1, {{"careless", careless}}), feed(rows({{"fail_at", 1}})));
    CHECK(count(talk, "row 1 is torn") > 0);
    CHECK(count(talk, "test.rows") > 0);
  }
}

TEST_CASE("input: points are for the trainer, in a step and outside of runs") {
  for (const std::string where : {"before_train", "before_run", "trigger_step"}) {
    CAPTURE(where);
    const std::string talk = failure(sums(1, {{"where", where}}));
    CHECK(count(talk, "broch.input/1 next outside of run_step, or inside a run") > 0);
  }
  CHECK(count(failure(sums(1, {{"where", "setup_graph"}})),
              "broch.input/1 next outside of run_step") > 0);
  Json asking = input_manifest(sums(1), feed(), 1, 1);
  asking["callbacks"] = {{{"use", "test.watcher"}, {"with", {{"where", "trigger_epoch"}}}}};
  const Folder folder;
  const Training training(folder, "run", asking);
  CHECK(training.run() == 1);
  CHECK(count(training.talk(), "broch.input/1 next is for the trainer, and callback") > 0);
}

TEST_CASE("input: towers that were not announced, too many of them, and sources without data") {
  CHECK(count(failure(sums(2, {{"declares", false}})), "tower 1, expected one below 1") > 0);
  CHECK(count(failure(sums(0)), "towers: 0, expected 1 to 4096") > 0);
  CHECK(count(failure(sums(1), "placeholder"), "has no data of its own") > 0);
  Json without = input_manifest(sums(1), {}, 1, 1);
  without.erase("data");
  const Folder folder;
  const Training training(folder, "run", without);
  CHECK(training.run() == 1);
  CHECK(count(training.talk(), "the run has no input") > 0);
}
