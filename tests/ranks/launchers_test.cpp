// launchers_test.cpp: ranks that torchrun started, or somebody who does as it does.
#include <fcntl.h>
#include <signal.h>

#include <sstream>

#include "processes.hpp"
#include "trainings.hpp"

using namespace broch::ranks_test;

namespace {

// What torchrun's agent is to its workers.
struct Agent {
  Agent() {
    int to[2], from[2];
    REQUIRE(pipe2(to, O_CLOEXEC) == 0);
    REQUIRE(pipe2(from, O_CLOEXEC) == 0);
    process = fork();
    if (process == 0) {
      dup2(to[0], STDIN_FILENO);
      dup2(from[1], STDOUT_FILENO);
      execl(AGENT, AGENT, nullptr);
      _exit(1);
    }
    close(to[0]);
    close(from[1]);
    input = to[1];
    FILE* const said = fdopen(from[0], "r");
    REQUIRE(std::fscanf(said, "%u", &port) == 1);
    std::fclose(said);
  }
  ~Agent() {
    close(input);
    Training::wait(process);
  }
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;
  pid_t process = -1;
  int input = -1;
  unsigned port = 0;
};

// Two ranks, as torchrun starts them for the attempt-th time; both end well.
void train_in_two(const Training& training, unsigned port, bool by_agent, const char* attempt) {
  std::vector<pid_t> started;
  for (const char* rank : {"0", "1"}) {
    const Variables variables({{"RANK", rank},
                               {"WORLD_SIZE", "2"},
                               {"LOCAL_RANK", rank},
                               {"MASTER_ADDR", "127.0.0.1"},
                               {"MASTER_PORT", std::to_string(port)},
                               {"TORCHELASTIC_RESTART_COUNT", attempt},
                               {"TORCHELASTIC_USE_AGENT_STORE", by_agent ? "True" : "False"}});
    started.push_back(training.start());
  }
  for (const pid_t one : started) CHECK(Training::wait(one) == 0);
}

}  // namespace

TEST_CASE("ranks: started one by one with torchrun's environment, with and without its agent") {
  const Saved expected =
      weights(outcomes(manifest(towers(2), batches(points())), {"auto"}).at("auto"));
  for (const bool by_agent : {false, true}) {
    CAPTURE(by_agent);
    const Folder folder;
    std::optional<Agent> agent;
    if (by_agent) agent.emplace();
    const unsigned port = agent ? agent->port : free_port();
    const Training training(folder, "run", manifest("allreduce", sharded(batches(points()))));
    train_in_two(training, port, by_agent, "0");
    INFO(training.talk());
    CHECK(training.talk().find("started by torchrun") != std::string::npos);
    const auto values = training.checkpoint(kSteps);
    for (const auto& [name, bytes] : expected) {
      if (name.ends_with("/step")) continue;  // an integer
      std::vector<float> numbers(bytes.size() / sizeof(float));
      std::memcpy(numbers.data(), bytes.data(), bytes.size());
      CHECK(values.at(name) == std::vector<double>(numbers.begin(), numbers.end()));
    }
    if (!by_agent) continue;
    // The agent still holds where the ranks of before were found.
    const Training again(folder, "again", manifest("allreduce", sharded(batches(points()))));
    train_in_two(again, port, by_agent, "1");
    INFO(again.talk());
    CHECK(again.checkpoint(kSteps) == values);
  }
}

// BROCH_TORCHRUN names PyTorch's launcher; tests/run --full installs it.
TEST_CASE("ranks: started by torchrun, which starts them again when one is killed") {
  const char* const torchrun = std::getenv("BROCH_TORCHRUN");
  if (!torchrun) {
    MESSAGE("skipped: BROCH_TORCHRUN is not set");
    return;
  }
  const Folder folder;
  const std::vector<std::string> launcher = {torchrun,
                                             "--no-python",
                                             "--nproc-per-node",
                                             "2",
                                             "--max-restarts",
                                             "1",
                                             "--master-port",
                                             std::to_string(free_port()),
                                             "--monitor-interval",
                                             "0.2"};
  Json together = manifest("allreduce", sharded(batches(points())));
  const Training inside(folder, "towers", manifest(towers(2), batches(points())));
  REQUIRE(inside.run() == 0);
  const Training training(folder, "run", together);
  CHECK(Training::wait(training.start({}, launcher)) == 0);
  INFO(training.talk());
  CHECK(training.talk().find("started by torchrun") != std::string::npos);
  CHECK(training.checkpoint(kSteps) == inside.checkpoint(kSteps));

  together["max_epoch"] = 400;
  together["resume"] = "auto";
  const Training killed(folder, "killed", together);
  const pid_t agent = killed.start({}, launcher);
  wait_for([&] { return !killed.text("checkpoint").empty(); });
  const std::vector<pid_t> children = children_of(agent);
  REQUIRE(children.size() >= 2);
  kill(children[1], SIGKILL);
  INFO(killed.talk());
  CHECK(Training::wait(agent) == 0);
  CHECK(killed.talk().find("resumed from ") != std::string::npos);
  const Training straight(folder, "straight", together);
  REQUIRE(straight.run(ranks(2)) == 0);
  CHECK(killed.checkpoint(400 * kSteps) == straight.checkpoint(400 * kSteps));
}
