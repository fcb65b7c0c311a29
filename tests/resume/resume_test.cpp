// resume_test.cpp: a training that is killed or interrupted any number of times and continued ends
// with the bits of one that ran through.
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <random>
#include <thread>

#include "cli_harness/cli_harness.hpp"

using namespace broch::cli_harness;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

constexpr int kEpochs = 6;

void make_absolute(Json& value) {
  if (value.is_object() && value.contains("file"))
    value["file"] = SAMPLE_DIR "/" + value["file"].get<std::string>();
  for (Json& part : value)
    if (part.is_structured()) make_absolute(part);
}

// The sample, smaller, with checkpoints inside epochs, too.
Json manifest() {
  std::ifstream file(SAMPLE_DIR "/digits.json");
  Json sample = Json::parse(file, nullptr, true, true);
  make_absolute(sample);
  sample["plugins"] = {SAMPLE_PLUGIN};
  sample["model"]["with"]["width"] = 8;
  sample["max_epoch"] = kEpochs;
  sample["runtime"] = {{"threads", 1}};
  sample["log_dir_action"] = "delete";
  for (Json& callback : sample["callbacks"]) {
    if (callback["use"] == "model-saver")
      callback["when"] = {{"every_k_epochs", 1}, {"every_k_steps", 7}};
    if (callback["use"] == "scheduled-hyper-param-setter")
      callback["with"]["schedule"] = {{3, 2e-4}};
    if (callback.value("name", "") == "test") callback["when"]["every_k_epochs"] = kEpochs;
  }
  return sample;
}

// The same with a pipeline that uses all that could change the order of the data or its random
// numbers: pictures are moved at random, by two threads, in the part of one rank.
Json augmented() {
  Json changed = manifest();
  Json flow = changed["dataflow"]["with"]["dataflow"];
  flow["with"]["dataflow"]["with"]["components"][0]["shape"] = {8, 8, 1};
  flow = {
      {"use", "map"},
      {"with",
       {{"dataflow", flow},
        {"transforms",
         {{{"use", "shift"},
           {"with", {{"component", "image"}, {"horiz_frac", 0.125}, {"vert_frac", 0.125}}}},
          {{"use", "transpose"}, {"with", {{"components", {"image"}}, {"order", {2, 0, 1}}}}}}}}}};
  flow = {{"use", "batch"}, {"with", {{"batch_size", 32}, {"dataflow", flow}}}};
  flow = {{"use", "shard"}, {"with", {{"dataflow", flow}}}};
  changed.erase("dataflow");
  changed["data"] = {{"use", "queue"}, {"with", {{"threads", 2}, {"dataflow", flow}}}};
  return changed;
}

// What a training must leave: all but what a clock decides.
struct Outcome {
  Values last, best;
  Json stats;
  explicit Outcome(const Training& training)
      : last(training.checkpoint(training.stats().back()["global_step"].get<int64_t>())),
        best(Training::variables(training.log_dir() / "min-validation_error.safetensors")),
        stats(training.stats()) {
    for (Json& epoch : stats) epoch.erase("QueueInput/queue_size");
  }
};

bool has_checkpoint(const Training& training) {
  return fs::exists(training.log_dir() / "checkpoint");
}

// Starts, or continues what is there, and sends the signal after the time; its exit code.
int run_until(const Training& training, std::chrono::milliseconds moment, int signal) {
  const bool resume = has_checkpoint(training);
  const pid_t pid =
      training.start(resume ? std::vector<std::string>{"--resume"} : std::vector<std::string>{});
  std::this_thread::sleep_for(moment);
  kill(pid, signal);  // it is not waited for yet, so the number is still its own
  return Training::wait(pid);
}

// Kills the training at random moments, a number of times in all, over as many trainings as that
// takes; each must end like the one that ran through.
void check_kills(const Json& manifest, int signal, int times, unsigned seed) {
  const Folder folder;
  const Training whole(folder, "whole", manifest);
  const auto started = std::chrono::steady_clock::now();
  REQUIRE(whole.run() == 0);
  auto duration = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - started);
  const Outcome expected(whole);

  std::mt19937 random(seed);
  int interrupted = 0, saved = 0, finished = 0;
  while (interrupted < times) {
    const Training training(folder, "killed" + std::to_string(finished), manifest);
    int exit_code = -1;
    const int before = interrupted;
    while (exit_code != 0) {
      const bool last = interrupted == times;  // the training that is left is let through
      const std::chrono::milliseconds moment = duration * int(20 + random() % 60) / 100;
      const bool resumes = has_checkpoint(training);
      exit_code = !last ? run_until(training, moment, signal)
                        : training.run(resumes ? std::vector<std::string>{"--resume"}
                                               : std::vector<std::string>{});
      CAPTURE(exit_code);
      CAPTURE(moment.count());
      INFO(training.talk());
      if (exit_code == 0) break;
      ++interrupted;
      if (signal == SIGKILL) {
        REQUIRE(exit_code == 137);
      } else {
        REQUIRE((exit_code == 75 || exit_code == 130));
        saved += exit_code == 75;
        if (exit_code == 75) CHECK(has_checkpoint(training));
      }
    }
    ++finished;
    REQUIRE(finished < 10 * times);
    if (interrupted == before) duration = duration * 3 / 4;  // the one measured was slower
    const Outcome outcome(training);
    CHECK(outcome.last == expected.last);
    CHECK(outcome.best == expected.best);
    CHECK(outcome.stats == expected.stats);
  }
  if (signal == SIGINT) CHECK(saved > 0);
}

}  // namespace

TEST_CASE("resume: a training that is killed ten times ends like one that ran through") {
  check_kills(manifest(), SIGKILL, 10, 17);
}
TEST_CASE("resume: a training that is interrupted five times ends like one that ran through") {
  check_kills(manifest(), SIGINT, 5, 23);
}
TEST_CASE("resume: data that are augmented by two threads survive a hundred kills") {
  check_kills(augmented(), SIGKILL, 100, 31);
}
