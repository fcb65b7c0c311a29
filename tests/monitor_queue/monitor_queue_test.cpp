// monitor_queue_test.cpp: a training with monitors that have a queue, fast ones and others.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <sstream>

#include "cli_harness/cli_harness.hpp"
#include "support/matches.hpp"

using namespace broch::cli_harness;
using Clock = std::chrono::steady_clock;
using Lines = std::vector<std::string>;

namespace {

Json monitor(const char* use, const Json& with = Json::object()) {
  return {{"use", use}, {"with", with}};
}

Json misbehaving(const std::string& how) {
  Json with;
  with["misbehavior"] = how;
  return monitor("test.queued", with);
}

Json manifest(int steps, int epochs, const Json& monitors, const Json& talker = Json::object()) {
  return {
      {"broch", 1},
      {"plugins", {QUEUED}},
      {"model", {{"use", "bench"}, {"with", {{"scalars", 1}}}}},
      {"optimizer", {{"use", "sgd"}, {"with", {{"learning_rate", 0.1}}}}},
      {"data", {{"use", "dummy-constant"}, {"with", {{"shapes", Json::array({Json::array()})}}}}},
      {"callbacks", {{{"use", "test.talker"}, {"with", talker}}}},
      {"extra_callbacks", Json::array()},
      {"monitors", monitors},
      {"steps_per_epoch", steps},
      {"max_epoch", epochs},
      {"log_dir_action", "delete"}};
}

int run(const Training& training, Lines arguments = {}) {
  arguments.insert(arguments.end(), {"--runtime", "null"});
  return training.run(arguments);
}

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}
Lines heard(const Training& training, const std::string& by) {
  return lines_of(training.text(by + ".txt"));
}

bool was_queued(const std::string& line) {
  for (const char* call : {"before_train", "after_train", "save"})
    if (line.starts_with(call)) return false;
  return true;
}

// The same without the last word, which is the thread.
Lines without_threads(Lines lines) {
  for (std::string& line : lines) line.resize(line.rfind(' '));
  return lines;
}

int64_t calls_with_values(const Lines& lines) {
  return std::ranges::count_if(lines, [](const std::string& line) {
    return line.starts_with("scalar") || line.starts_with("summary") || line.starts_with("image") ||
           line.starts_with("event");
  });
}

// The number of values that the log says were dropped; 0: it does not say so.
int64_t dropped(const Training& training) {
  const std::vector<std::string> found =
      support::first_match(training.text("log.log"),
                           "monitor 'queued' was too slow: ([0-9,]+) values? (was|were) dropped");
  if (found.empty()) return 0;
  std::string number = found[1];
  std::erase(number, ',');
  return std::stoll(number);
}

}  // namespace

TEST_CASE("monitor queue: everything arrives in order, on another thread, with its counters") {
  const broch::test::Folder folder;
  const Training training(
      folder, "order",
      manifest(20, 3, {monitor("test.main"), monitor("test.queued")}, {{"side", 2}}));
  REQUIRE(run(training) == 0);
  const Lines on_main = heard(training, "main"), queued = heard(training, "queued");
  CHECK(without_threads(queued) == without_threads(on_main));
  CHECK(queued.size() > 3 * 20 * 4);
  CHECK(std::ranges::count(queued, "image picture(1,2,2,1 all 30) | 2,9,30 other") == 1);
  CHECK(std::ranges::count(queued, "event org.example.news step 60 | 3,19,60 other") == 1);
  for (const std::string& line : on_main) CHECK(line.ends_with(" main"));
  for (const std::string& line : queued)
    CHECK(line.ends_with(was_queued(line) ? " other" : " main"));
  CHECK(dropped(training) == 0);
}

TEST_CASE(
    "monitor queue: a slow monitor does not slow the training, and the log says what it lost") {
  const broch::test::Folder folder;
  const Training training(
      folder, "slow",
      manifest(300, 1, {monitor("test.main"), monitor("test.queued", {{"milliseconds", 200}})}));
  const Clock::time_point start = Clock::now();
  REQUIRE(run(training) == 0);
  CHECK(Clock::now() - start < std::chrono::seconds(30));  // alone, its 300 numbers take 60
  const Lines on_main = heard(training, "main"), queued = heard(training, "queued");
  const int64_t sent = calls_with_values(on_main), delivered = calls_with_values(queued);
  CHECK(delivered > 0);
  CHECK(delivered < sent);
  CHECK(dropped(training) == sent - delivered);
  // What did arrive is the beginning, and the end follows it.
  const Lines all = without_threads(on_main), some = without_threads(queued);
  REQUIRE(some.size() > 2);
  CHECK(std::equal(some.begin(), some.end() - 1, all.begin()));
  CHECK(some.back() == all.back());
  CHECK(training.text("log.log").find("is too slow, so that values for it are dropped") !=
        std::string::npos);
}

TEST_CASE("monitor queue: a queue that is full costs values, not memory") {
  const broch::test::Folder folder;
  const Training training(
      folder, "full",
      manifest(40, 1, {monitor("test.main"), monitor("test.queued", {{"milliseconds", 2000}})},
               {{"side", 2048}}));
  REQUIRE(run(training) == 0);
  const Lines on_main = heard(training, "main"), queued = heard(training, "queued");
  const int64_t missing = calls_with_values(on_main) - calls_with_values(queued);
  CHECK(missing > 0);
  CHECK(dropped(training) == missing);
  const std::string log = training.text("log.log");
  CHECK(log.find("so that values for it are dropped") < log.find("Training has finished"));
  CHECK(std::ranges::count(queued, "two calls at once") == 0);
}

TEST_CASE("monitor queue: failures are counted, and do not end the training") {
  const broch::test::Folder folder;
  const Training training(folder, "fails", manifest(5, 1, Json::array({misbehaving("fails")})));
  REQUIRE(run(training) == 0);
  const Lines queued = heard(training, "queued");
  const int64_t scalars = std::ranges::count_if(
      queued, [](const std::string& line) { return line.starts_with("scalar"); });
  const std::string log = training.text("log.log");
  CHECK(count(log, "The training goes on; monitor 'queued' misses") == 1);
  CHECK(log.find("monitor 'queued' has failed " + std::to_string(scalars) + " times") !=
        std::string::npos);
}

TEST_CASE("monitor queue: a queued call may not set metrics") {
  const broch::test::Folder folder;
  const Training training(folder, "sets", manifest(2, 1, Json::array({misbehaving("sets")})));
  REQUIRE(run(training) == 0);
  CHECK(training.text("log.log").find("called during process_scalar, which is [data]; it may be "
                                      "called as [main]") != std::string::npos);
}

TEST_CASE("monitor queue: numbers that are not finite end the training as elsewhere") {
  const broch::test::Folder folder;
  const Training training(folder, "numbers",
                          manifest(2000, 100, Json::array({misbehaving("has_no_numbers")})));
  CHECK(run(training) == 6);
  CHECK(training.text("log.log").find("no number") != std::string::npos);
}

TEST_CASE("monitor queue: a killed and resumed training leaves what one without a break leaves") {
  const broch::test::Folder folder;
  const auto with_saver = [](const Json& talker) {
    Json all = manifest(50, 4,
                        {monitor("test.queued"), monitor("json-writer"), monitor("csv-writer"),
                         monitor("jsonl-writer")},
                        talker);
    all["callbacks"].push_back(
        {{"use", "model-saver"}, {"when", {{"every_k_epochs", 1}, {"every_k_steps", 7}}}});
    return all;
  };
  const Training whole(folder, "whole", with_saver({{"side", 2}}));
  REQUIRE(run(whole) == 0);
  const Training killed(folder, "killed", with_saver({{"side", 2}, {"dies_in", 123}}));
  REQUIRE(run(killed) == 128 + 9);
  REQUIRE(run(killed, {"--resume"}) == 0);
  for (const char* file : {"stats.json", "stats.csv", "stats.jsonl"})
    CHECK(killed.text(file) == whole.text(file));
  const auto values = [](const Training& training) {
    Lines lines = heard(training, "queued");  // a resumed run repeats before_epoch
    std::erase_if(lines, [](const std::string& line) {
      return !was_queued(line) || line.starts_with("before_epoch");
    });
    return lines;
  };
  CHECK(values(killed) == values(whole));
}

TEST_CASE("monitor queue: one that never returns does not keep the training, or its checkpoints") {
  const broch::test::Folder folder;
  Json hanging = manifest(20, 2, {monitor("json-writer"), misbehaving("hangs")});
  hanging["callbacks"].push_back("model-saver");
  const Training training(folder, "hangs", hanging);
  REQUIRE(run(training) == 0);
  const std::string log = training.text("log.log");
  CHECK(count(log, "monitor 'queued' does not return from a call") == 1);
  CHECK(count(log, "(test.queued) is being called, so the checkpoint lacks its state") == 2);
  CHECK(training.stats().back()["global_step"] == 40);
  CHECK(dropped(training) > 40);
}
