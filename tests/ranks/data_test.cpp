// data_test.cpp: which data points each rank takes, also after a resume.
#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

#include "cli_harness/cli_harness.hpp"
#include "processes.hpp"
#include "store/checkpoint.hpp"

using namespace broch::ranks_test;
using broch::cli_harness::Folder;
using broch::cli_harness::Json;
using broch::cli_harness::Training;

namespace {

constexpr int kSteps = 10;  // per epoch

Json around(const char* use, const Json& flow, const Json& more = Json::object()) {
  Json entry{{"use", use}, {"with", {{"dataflow", flow}}}};
  entry["with"].update(more);
  return entry;
}
Json numbers(int size) { return {{"use", "test.numbers"}, {"with", {{"size", size}}}}; }
Json mapped(const Json& flow, const Json& transform) {
  return around("map", flow, {{"transforms", {transform}}});
}

// Every rank writes down the points that its steps take, in FOLDER/NAME.RANK.
Json manifest(const Folder& folder, const std::string& name, const Json& flow, int epochs) {
  return {{"broch", 1},
          {"seed", 11},
          {"plugins", {SLOPE, FLOWS, RECORDER}},
          {"model", {{"use", "conformance.slope"}}},
          {"optimizer", {{"use", "sgd"}, {"with", {{"learning_rate", 0.125}}}}},
          {"trainer", "allreduce"},
          {"data",
           {{"use", "test.recorder"},
            {"with",
             {{"input", {{"use", "queue"}, {"with", {{"dataflow", flow}}}}},
              {"file", folder / name}}}}},
          {"callbacks",
           {{{"use", "model-saver"},
             {"when", {{"every_k_epochs", 1}, {"every_k_steps", 7}}},
             {"with", {{"max_to_keep", 0}}}}}},
          {"steps_per_epoch", kSteps},
          {"max_epoch", epochs}};
}

std::vector<std::string> ranks(int count) { return {"--ranks", std::to_string(count)}; }

using Lines = std::vector<std::string>;
Lines lines_of(const Folder& folder, const std::string& name, int rank) {
  std::ifstream file(folder / (name + "." + std::to_string(rank)));
  Lines lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

int last_saved(const Training& training) {
  const std::string list = training.text("checkpoint");
  const size_t at = list.find("model-");
  return at == std::string::npos ? 0 : std::stoi(list.substr(at + 6));
}
size_t saved_cursors(const Training& training, int step) {
  return broch::store::read_checkpoint(training.log_dir() /
                                       ("model-" + std::to_string(step) + ".safetensors"))
      .contents.cursors.size();
}

// Two ranks are killed or interrupted. When they go on, each takes the points that it would have
// taken without a break.
void check_broken_off(const Json& flow, int signal) {
  const Folder folder;
  const Training training(folder, "run", manifest(folder, "before", flow, 1000000));
  const pid_t launcher = training.start(ranks(2));
  for (int i = 0; i < 3000 && last_saved(training) == 0; ++i) usleep(10000);
  const std::vector<pid_t> both = children_of(launcher);
  INFO(training.talk());
  REQUIRE(both.size() == 2);
  for (const pid_t one : both) kill(one, signal);
  CHECK(Training::wait(launcher) == (signal == SIGKILL ? 8 : 75));
  INFO(training.talk());
  const int saved = last_saved(training);
  REQUIRE(saved > 0);

  const int epochs = saved / kSteps + 2;
  const Training further(folder, "run", manifest(folder, "after", flow, epochs));
  REQUIRE(further.run({"--ranks", "1", "--resume"}) == 9);
  CHECK(further.talk().find("made by a run with 2 ranks") != std::string::npos);
  REQUIRE(further.run({"--ranks", "2", "--resume"}) == 0);
  const Training whole(folder, "whole", manifest(folder, "whole", flow, epochs));
  REQUIRE(whole.run(ranks(2)) == 0);
  CHECK(saved_cursors(whole, kSteps) == 2);
  CHECK(lines_of(folder, "whole", 0) != lines_of(folder, "whole", 1));
  for (const int rank : {0, 1}) {
    CAPTURE(rank);
    Lines expected = lines_of(folder, "whole", rank);
    REQUIRE(expected.size() == size_t(epochs * kSteps));
    expected.erase(expected.begin(), expected.begin() + saved);
    CHECK(lines_of(folder, "after", rank) == expected);
  }
  CHECK(further.checkpoint(epochs * kSteps) == whole.checkpoint(epochs * kSteps));
}

constexpr int kTogether = 16;  // samples per step of all ranks

// The samples of each step of all ranks, in the order of the dataflow that they divide.
// by_turns: rank r has sample r of every `count`, otherwise part r of the step.
Lines samples(const Folder& folder, const std::string& name, int count, bool by_turns) {
  std::vector<Lines> of_ranks;
  for (int rank = 0; rank < count; ++rank) of_ranks.push_back(lines_of(folder, name, rank));
  Lines all;
  for (size_t step = 0; step < of_ranks[0].size(); ++step) {
    std::vector<Lines> parts;
    for (const Lines& lines : of_ranks) {
      std::istringstream words(lines.at(step));
      parts.emplace_back(std::istream_iterator<std::string>(words),
                         std::istream_iterator<std::string>());
      REQUIRE(parts.back().size() == size_t(kTogether / count));
    }
    for (size_t i = 0; i < kTogether; ++i)
      all.push_back(by_turns ? parts[i % parts.size()][i / parts.size()]
                             : parts[i / parts[0].size()][i % parts[0].size()]);
  }
  return all;
}

// 70 samples a round, so that rounds end in the middle of a step of all ranks. Divided by turns,
// the random transform is not in shard, inside of which all ranks have the same seed.
Json divided(int count, bool by_turns) {
  const Json shuffled = around("shuffle", numbers(70));
  const Json size{{"batch_size", kTogether / count}};
  return by_turns ? around("batch", mapped(around("shard", shuffled), "test.jitter"), size)
                  : around("shard", around("batch", mapped(shuffled, "test.jitter"), size));
}

}  // namespace

TEST_CASE("data: ranks that drop different samples each continue after their own") {
  const Json dropping{{"use", "filter"}, {"with", {{"component", 0}, {"maximum", 60}}}};
  check_broken_off(
      around("batch", mapped(around("shuffle", numbers(100)), dropping), {{"batch_size", 3}}),
      SIGKILL);
}

TEST_CASE("data: ranks that read pipes of their own each continue in theirs") {
  const Folder folder;
  std::ofstream(folder / "walk.py") << R"(
def points(round, rank, start):
    for i in range(start, 90):
        yield float((i * 7 + round) % (90 - 20 * rank))
)";
  const Json pipe{{"use", "pipe"},
                  {"with",
                   {{"command", {"python3", "-m", "broch_pipe", "walk:points"}},
                    {"cwd", folder.path().string()}}}};
  const Json dropping{{"use", "filter"}, {"with", {{"component", 0}, {"minimum", 30}}}};
  check_broken_off(around("batch", mapped(pipe, dropping), {{"batch_size", 3}}), SIGTERM);
}

TEST_CASE("data: 1, 2 and 4 ranks together take the same samples in the same order") {
  const Folder folder;
  for (const bool by_turns : {true, false}) {
    Lines expected;
    std::vector<double> weight;
    for (const int count : {1, 2, 4}) {
      CAPTURE(count);
      CAPTURE(by_turns);
      const std::string name = std::to_string(count) + (by_turns ? "turns" : "parts");
      const Training training(folder, name, manifest(folder, name, divided(count, by_turns), 1));
      REQUIRE(training.run(ranks(count)) == 0);
      CHECK(saved_cursors(training, kSteps) == 1);
      const Lines found = samples(folder, name, count, by_turns);
      if (count == 1) {
        expected = found;
        weight = training.checkpoint(kSteps).at("w");
      }
      CHECK(found == expected);
      CHECK(training.checkpoint(kSteps).at("w") == weight);
    }
  }
}

TEST_CASE("data: 4 ranks, then 2, then 1 take the samples that one would have taken") {
  const Folder folder;
  Lines found;
  int epochs = 0;
  for (const int count : {4, 2, 1}) {
    const std::string name = std::to_string(count);
    const Training training(folder, "run", manifest(folder, name, divided(count, true), ++epochs));
    REQUIRE(training.run({"--ranks", name, "--resume=auto"}) == 0);
    const Lines more = samples(folder, name, count, true);
    found.insert(found.end(), more.begin(), more.end());
  }
  const Training straight(folder, "straight",
                          manifest(folder, "straight", divided(1, true), epochs));
  REQUIRE(straight.run() == 0);
  CHECK(found == samples(folder, "straight", 1, true));
  CHECK(straight.checkpoint(epochs * kSteps) ==
        Training(folder, "run", Json()).checkpoint(epochs * kSteps));
}
