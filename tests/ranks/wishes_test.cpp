// wishes_test.cpp: broch ctl with several ranks.
#include <signal.h>

#include <cstdio>

#include "trainings.hpp"

using namespace broch::ranks_test;

namespace {

// broch ctl; what it prints, in one text.
std::string ctl(const Training& training, const std::string& words) {
  const std::string command =
      "'" BROCH_PROGRAM "' ctl '" + training.log_dir().string() + "' " + words + " 2>&1";
  FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe);
  std::string text;
  char part[4096];
  for (size_t n; (n = fread(part, 1, sizeof part, pipe)) > 0;) text.append(part, n);
  pclose(pipe);
  return text;
}

// "at global_step=123, learning_rate changes": 123, of the first such line.
int64_t step_of_change(const std::string& log, const std::string& name) {
  const size_t end = log.find(", " + name + " changes from");
  REQUIRE(end != std::string::npos);
  const size_t begin = log.rfind("global_step=", end);
  return std::stoll(log.substr(begin + 12, end - begin - 12));
}

int64_t last_saved(const Training& training) {
  const std::string list = training.text("checkpoint");
  const size_t at = list.find("model-");
  return at == std::string::npos ? 0 : std::stoll(list.substr(at + 6));
}

// Set while it trains, on all ranks between the same steps: the bits of a schedule that says so.
void check_set(const Json& trainer, const std::vector<std::string>& started, int workers) {
  const Folder folder;
  Json endless = manifest(trainer, sharded(batches(points())));
  endless["max_epoch"] = 1000000;
  endless["callbacks"].push_back(
      {{"use", "model-saver"}, {"when", {{"every_k_steps", 1000000000}}}});
  const Training training(folder, "run", endless);
  const pid_t launcher = training.start(started);
  wait_for([&] { return last_saved(training) > 0; });
  CHECK(ctl(training, "set learning_rate=0.002").find("now: 0.002") != std::string::npos);
  CHECK(ctl(training, "set model-saver/max_to_keep=1000").find("now: 1000") != std::string::npos);
  CHECK(ctl(training, "set model-saver/max_to_keep=-1").find("at least 0") != std::string::npos);
  CHECK(ctl(training, "set periodic-trigger/every_k_steps=null").find("one of every_k_steps") !=
        std::string::npos);
  const std::string status = ctl(training, "status");
  CHECK(status.find("model-saver/max_to_keep") != std::string::npos);
  CHECK(status.find("epoch_num") != std::string::npos);
  CHECK(ctl(training, "save").find("checkpoint: ") != std::string::npos);
  CHECK(ctl(training, "set learning_rat=1").find("did you mean") != std::string::npos);
  const int64_t step = step_of_change(training.text("log.log"), "learning_rate");
  for (int rank = 1; rank < workers; ++rank)
    CHECK(step_of_change(training.text("rank" + std::to_string(rank) + ".log"), "learning_rate") ==
          step);
  const int64_t wanted = (step / kSteps + 2) * kSteps;
  wait_for([&] { return last_saved(training) >= wanted; });
  CHECK(ctl(training, "stop").find("error") == std::string::npos);
  CHECK(Training::wait(launcher) == 75);

  Json scheduled = manifest(trainer, sharded(batches(points())));
  scheduled["max_epoch"] = wanted / kSteps;
  scheduled["callbacks"].push_back(
      {{"use", "scheduled-hyper-param-setter"},
       {"with",
        {{"param", "learning_rate"}, {"schedule", {{step, 0.002}}}, {"step_based", true}}}});
  const Training straight(folder, "straight", scheduled);
  REQUIRE(Training::wait(straight.start(started)) == 0);
  const auto found = training.checkpoint(wanted), expected = straight.checkpoint(wanted);
  for (const auto& [name, bytes] : expected)
    if (name.starts_with("fc")) CHECK_MESSAGE(found.at(name) == bytes, name);
}

}  // namespace

TEST_CASE("ranks: what broch ctl sets changes on all ranks between the same steps") {
  check_set("allreduce", ranks(2), 2);
}

TEST_CASE("ranks: at parameter servers, what broch ctl sets changes on all workers") {
  check_set("distributed-replicated", with_servers(3, 1), 2);
}
