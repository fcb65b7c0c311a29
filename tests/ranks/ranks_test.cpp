// ranks_test.cpp: broch train --ranks N, beside towers in one process.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <thread>

#include "recorded/modes.hpp"

using namespace broch::recorded;
using broch::door::Folder;
using broch::door::Json;
using broch::door::Training;

namespace {

constexpr int kSteps = 20;

Json batches(const Json& dataflow) {
  return {{"use", "batch"}, {"with", {{"batch_size", 16}, {"dataflow", dataflow}}}};
}

// Every rank and every tower gets the points that are its own in turn.
Json points() {
  return {{"use", "fake"},
          {"with",
           {{"size", 8000},
            {"components",
             {{{"shape", {64}}, {"low", -1}, {"name", "x"}},
              {{"shape", Json::array()}, {"dtype", "int64"}, {"high", 10}, {"name", "label"}}}}}}};
}

Json manifest(const Json& trainer, const Json& dataflow, const char* optimizer = "momentum") {
  return {{"broch", 1},
          {"seed", 11},
          {"plugins", {NETWORKS}},
          {"model", {{"use", "recorded.mlp"}}},
          {"optimizer", {{"use", optimizer}, {"with", {{"learning_rate", 0.01}}}}},
          {"dataflow", dataflow},
          {"callbacks", {"model-saver"}},
          {"monitors", {"json-writer"}},
          {"trainer", trainer},
          {"steps_per_epoch", kSteps},
          {"max_epoch", 1}};
}

Json towers(int count) {
  Json devices = Json::array();
  for (int i = 0; i < count; ++i) devices.push_back("cpu:" + std::to_string(i));
  return {{"use", "sync-parameter-server"}, {"with", {{"devices", devices}}}};
}

Json sharded(const Json& dataflow) {
  return {{"use", "shard"}, {"with", {{"dataflow", dataflow}}}};
}

std::vector<std::string> ranks(int count) { return {"--ranks", std::to_string(count)}; }

using Saved = std::map<std::string, std::string>;

Saved weights(const Outcome& outcome) {
  INFO(outcome.talk);
  REQUIRE(outcome.exit_code == 0);
  Saved found;
  for (const auto& [name, bytes] : outcome.saved)
    if (name.starts_with("fc")) found[name] = bytes;
  REQUIRE(found.size() >= 6);
  return found;
}

// Processes whose parent is that one.
std::vector<pid_t> children_of(pid_t parent) {
  std::ifstream file("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) +
                     "/children");
  std::vector<pid_t> children;
  for (pid_t child; file >> child;) children.push_back(child);
  return children;
}

// Gone, or left over for a parent that does not ask.
bool ended(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  return !(file >> number >> name >> state) || state == "Z";
}

// What processes started meanwhile find in their environment.
class Variables {
 public:
  explicit Variables(const std::map<std::string, std::string>& variables) {
    for (const auto& [name, value] : variables) {
      const char* const before = std::getenv(name.c_str());
      before_[name] = before ? std::optional<std::string>(before) : std::nullopt;
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  ~Variables() {
    for (const auto& [name, before] : before_)
      before ? setenv(name.c_str(), before->c_str(), 1) : unsetenv(name.c_str());
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

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

// Nobody listens there now.
unsigned free_port() {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const place = reinterpret_cast<sockaddr*>(&address);
  REQUIRE(bind(descriptor, place, size) == 0);
  REQUIRE(getsockname(descriptor, place, &size) == 0);
  close(descriptor);
  return ntohs(address.sin_port);
}

// Two machines with a cable between them, as far as the network goes; only root can have them.
class Machines {
 public:
  Machines() {
    for (const char* name : {"a", "b"}) made_ = made_ && ip("netns add " + named(name));
    made_ = made_ && ip("-n " + named("a") + " link add cable type veth peer name cable netns " +
                        named("b"));
    for (const auto& [name, address] : {std::pair{"a", address_a()}, {"b", "10.231.7.2"}}) {
      const std::string inside = "-n " + named(name) + " ";
      made_ = made_ && ip(inside + "addr add " + address + "/24 dev cable") &&
              ip(inside + "link set cable up") && ip(inside + "link set lo up");
    }
  }
  ~Machines() {
    for (const char* name : {"a", "b"}) ip("netns del " + named(name));
  }
  Machines(const Machines&) = delete;
  Machines& operator=(const Machines&) = delete;

  bool made() const { return made_; }
  static const char* address_a() { return "10.231.7.1"; }
  std::vector<std::string> inside(const char* name) const {
    return {"ip", "netns", "exec", named(name)};
  }
  bool cut() const { return ip("-n " + named("b") + " link set cable down"); }

 private:
  static std::string named(const char* name) {
    return "broch-test-" + std::to_string(getpid()) + name;
  }
  static bool ip(const std::string& words) {
    return std::system(("ip " + words + " 2> /dev/null").c_str()) == 0;
  }
  bool made_ = true;
};

void wait_for(const std::function<bool()>& there) {
  for (int i = 0; i < 600 && !there(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  REQUIRE(there());
}

// Goes on for two more epochs, and ends with the bits of a training that ran through.
void check_continues(const Folder& folder, const Training& training, Json manifest,
                     const std::vector<std::string>& started = ranks(3),
                     const std::vector<std::string>& launcher = {}) {
  const std::string list = training.text("checkpoint");
  const size_t at = list.find("model-");
  REQUIRE(at != std::string::npos);
  const int64_t epochs = std::stoll(list.substr(at + 6)) / kSteps + 2;
  std::vector<std::string> words = started;
  words.insert(words.end(), {"--resume", "max_epoch=" + std::to_string(epochs)});
  REQUIRE(Training::wait(training.start(words, launcher)) == 0);
  manifest["max_epoch"] = epochs;
  const Training straight(folder, "straight", manifest);
  REQUIRE(Training::wait(straight.start(started, launcher)) == 0);
  CHECK(training.checkpoint(epochs * kSteps) == straight.checkpoint(epochs * kSteps));
}

// Two ranks, eager or replayed, have the bits of two towers in what is taken of a checkpoint.
void check_as_two_towers(const char* model, const std::function<Saved(const Outcome&)>& taken) {
  Json inside = manifest(towers(2), batches(points()));
  inside["model"]["use"] = model;
  const Saved expected = taken(outcomes(inside, {"auto"}).at("auto"));
  Json together = inside;
  together["trainer"] = "allreduce";
  together["dataflow"] = sharded(batches(points()));
  for (const char* mode : {"auto", "eager"}) {
    CAPTURE(mode);
    CHECK(taken(outcomes(together, {mode}, ranks(2)).at(mode)) == expected);
  }
}

Json on_devices(const char* trainer, int count, const Json& more = Json::object()) {
  Json with = towers(count)["with"];
  with.update(more);
  return {{"use", trainer}, {"with", with}};
}

std::vector<std::string> with_servers(int all, int servers) {
  return {"--ranks", std::to_string(all), "--ps", std::to_string(servers)};
}

}  // namespace

TEST_CASE("ranks: over Gloo, the bits of as many towers in one process, eager or replayed") {
  for (const int count : {2, 4}) {
    CAPTURE(count);
    const Saved expected =
        weights(outcomes(manifest(towers(count), batches(points())), {"auto"}).at("auto"));
    const Json together = manifest("allreduce", sharded(batches(points())));
    for (const char* mode : {"auto", "eager"}) {
      CAPTURE(mode);
      CHECK(weights(outcomes(together, {mode}, ranks(count)).at(mode)) == expected);
    }
  }
}

TEST_CASE("ranks: gradients of several buckets have the bits of as many towers") {
  check_as_two_towers("recorded.wide", weights);
}

TEST_CASE("ranks: batch norm with the statistics of all ranks has the bits of as many towers") {
  const auto weights_of = [](const Outcome& outcome) {
    INFO(outcome.talk);
    REQUIRE(outcome.exit_code == 0);
    Saved found;
    for (const auto& [name, bytes] : outcome.saved)
      if (name.ends_with("W") || name.ends_with("gamma") || name.ends_with("EMA"))
        found[name] = bytes;
    REQUIRE(found.size() >= 6);
    return found;
  };
  check_as_two_towers("recorded.synchronised", weights_of);
}

TEST_CASE("ranks: what is divided among them is shuffled alike on all") {
  const auto shuffled = [](Json data) {
    return Json{{"use", "shuffle"}, {"with", {{"dataflow", std::move(data)}}}};
  };
  Json together = manifest(towers(2), sharded(batches(shuffled(points()))));
  together["trainer"]["with"]["gpu_prefetch"] = false;
  const Saved expected = weights(outcomes(together, {"auto"}).at("auto"));
  together["trainer"] = "allreduce";
  CHECK(weights(outcomes(together, {"auto"}, ranks(2)).at("auto")) == expected);
}

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
    std::vector<pid_t> started;
    for (const char* rank : {"0", "1"}) {
      const Variables variables({{"RANK", rank},
                                 {"WORLD_SIZE", "2"},
                                 {"LOCAL_RANK", rank},
                                 {"MASTER_ADDR", "127.0.0.1"},
                                 {"MASTER_PORT", std::to_string(port)},
                                 {"TORCHELASTIC_USE_AGENT_STORE", by_agent ? "True" : "False"}});
      started.push_back(training.start());
    }
    for (const pid_t one : started) CHECK(Training::wait(one) == 0);
    INFO(training.talk());
    CHECK(training.talk().find("started by torchrun") != std::string::npos);
    const auto values = training.checkpoint(kSteps);
    for (const auto& [name, bytes] : expected) {
      if (name.ends_with("/step")) continue;  // an integer
      std::vector<float> numbers(bytes.size() / sizeof(float));
      std::memcpy(numbers.data(), bytes.data(), bytes.size());
      CHECK(values.at(name) == std::vector<double>(numbers.begin(), numbers.end()));
    }
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

TEST_CASE("ranks: the sum instead of the mean, and one rank alone") {
  Json summed = manifest({{"use", "allreduce"}, {"with", {{"average", false}}}},
                         sharded(batches(points())), "sgd");
  Json mean = manifest("allreduce", sharded(batches(points())), "sgd");
  mean["optimizer"]["with"]["learning_rate"] = 0.02;
  const Saved sum = weights(outcomes(summed, {"auto"}, ranks(2)).at("auto"));
  const Saved twice = weights(outcomes(mean, {"auto"}, ranks(2)).at("auto"));
  REQUIRE(sum.size() == twice.size());
  const Json alone = manifest("allreduce", batches(points()));
  CHECK(weights(outcomes(alone, {"auto"}).at("auto")) ==
        weights(outcomes(manifest(towers(1), batches(points())), {"auto"}).at("auto")));
}

TEST_CASE("ranks: compressed gradients end near the others, all ranks with the same bits") {
  Json halves = manifest("allreduce", sharded(batches(points())), "sgd");
  const Saved whole = weights(outcomes(halves, {"auto"}, ranks(2)).at("auto"));
  halves["trainer"] = {{"use", "allreduce"}, {"with", {{"compression", "fp16"}}}};
  const Saved rounded = weights(outcomes(halves, {"auto"}, ranks(2)).at("auto"));
  CHECK(rounded != whole);
  for (const auto& [name, bytes] : whole) {
    CAPTURE(name);
    const auto numbers = [](const std::string& text) {
      std::vector<float> values(text.size() / sizeof(float));
      std::memcpy(values.data(), text.data(), text.size());
      return values;
    };
    const std::vector<float> a = numbers(bytes), b = numbers(rounded.at(name));
    for (size_t i = 0; i < a.size(); ++i) CHECK(std::abs(a[i] - b[i]) < 1e-3);
  }
}

TEST_CASE("ranks: rank 0 talks and writes, the others have log files") {
  const Folder folder;
  const Training training(folder, "run", manifest("allreduce", sharded(batches(points()))));
  REQUIRE(training.run(ranks(3)) == 0);
  CHECK(broch::door::count(training.talk(), "3 ranks met over Gloo (c10d), started by broch") == 1);
  CHECK(training.text("rank1.log").find("each step takes") != std::string::npos);
  CHECK(training.text("rank2.log").find("each step takes") != std::string::npos);
  CHECK(broch::door::count(training.talk(), "each step takes") == 1);
  CHECK(training.stats().size() == 1);
}

TEST_CASE("ranks: other variables on one rank are found before the first step, by name") {
  const Folder folder;
  Json odd = manifest("allreduce", points());
  odd["plugins"] = {ODD};
  odd["model"] = {{"use", "conformance.odd"}};
  odd["dataflow"]["with"]["components"] = {{{"shape", {4}}, {"name", "x"}}};
  const Training training(folder, "run", odd);
  CHECK(training.run(ranks(2)) == 8);
  INFO(training.talk());
  CHECK(training.talk().find("variable 'odd'") != std::string::npos);
  CHECK(training.run() == 0);
}

TEST_CASE(
    "ranks: one that is killed ends all of them, and the training goes on from where it was") {
  for (const int signal : {SIGKILL, SIGSTOP}) {
    CAPTURE(signal);
    const Folder folder;
    Json endless = manifest("allreduce", sharded(batches(points())));
    endless["max_epoch"] = 1000000;
    if (signal == SIGSTOP) endless["runtime"] = {{"collective_timeout", 8}};
    const Training training(folder, "run", endless);
    const pid_t launcher = training.start(ranks(3));
    wait_for([&] { return !training.text("checkpoint").empty(); });
    const std::vector<pid_t> children = children_of(launcher);
    REQUIRE(children.size() == 3);
    const auto start = std::chrono::steady_clock::now();
    kill(children[1], signal);
    const int code = Training::wait(launcher);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(40));
    CHECK(code == (signal == SIGKILL ? 128 + SIGKILL : 8));
    for (const pid_t child : children) CHECK(kill(child, 0) != 0);
    INFO(training.talk());
    CHECK(training.talk().find(signal == SIGKILL ? "signal 9" : "rank") != std::string::npos);
    CHECK(training.run({"--ranks", "2", "--resume"}) == 9);
    check_continues(folder, training, endless);
  }
}

TEST_CASE("ranks: on two machines, a link that goes down ends both in time") {
  const Machines machines;
  if (!machines.made()) {
    MESSAGE("skipped: this user cannot make network namespaces");
    return;
  }
  const Folder folder;
  Json endless = manifest("allreduce", sharded(batches(points())));
  endless["max_epoch"] = 1000000;
  endless["runtime"] = {{"collective_timeout", 5}};
  const Training training(folder, "run", endless);
  std::vector<pid_t> started;
  for (const auto& [rank, machine] : {std::pair{"0", "a"}, {"1", "b"}}) {
    const Variables variables({{"RANK", rank},
                               {"WORLD_SIZE", "2"},
                               {"LOCAL_RANK", "0"},
                               {"MASTER_ADDR", Machines::address_a()},
                               {"MASTER_PORT", "29500"}});
    started.push_back(training.start({}, machines.inside(machine)));
  }
  wait_for([&] { return !training.text("checkpoint").empty(); });
  const auto start = std::chrono::steady_clock::now();
  CHECK(machines.cut());
  for (const pid_t one : started) CHECK(Training::wait(one) == 8);
  INFO(training.talk());
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
  check_continues(folder, training, endless, ranks(2));
}

TEST_CASE("ranks: a signal ends all after the same step, saved, and they go on from there") {
  const Folder folder;
  Json endless = manifest("allreduce", sharded(batches(points())));
  endless["max_epoch"] = 1000000;
  const Training training(folder, "run", endless);
  const pid_t launcher = training.start(ranks(3));
  wait_for([&] { return !training.text("checkpoint").empty(); });
  kill(launcher, SIGTERM);
  CHECK(Training::wait(launcher) == 75);
  INFO(training.talk());
  CHECK(training.talk().find("expected all ranks") == std::string::npos);
  check_continues(folder, training, endless);
}

TEST_CASE("ranks: where a callback of rank 0 stops the training, all of them end well") {
  const Folder folder;
  Json stopped = manifest("allreduce", sharded(batches(points())));
  stopped["max_epoch"] = 50;
  stopped["callbacks"] = {
      "model-saver",
      {{"use", "early-stopping"},
       {"with",
        {{"monitor_stat", "QueueInput/queue_size"}, {"patience", 1}, {"min_delta", 1000}}}}};
  const Training training(folder, "run", stopped);
  CHECK(training.run(ranks(3)) == 0);
  INFO(training.talk());
  CHECK(training.stats().size() < 50);
  CHECK(training.text("rank1.log").find("a stop on another rank") != std::string::npos);
}

TEST_CASE("ranks: what does not fit is refused") {
  const Folder folder;
  const Training training(folder, "run", manifest("allreduce", batches(points())));
  CHECK(training.run({"--ranks", "0"}) == 2);
  CHECK(training.run({"--ranks", "2", "--runtime", "null"}) == 2);
}

TEST_CASE("ranks: over NCCL, one GPU a rank; a machine without says so") {
  const Folder folder;
  Json run = manifest({{"use", "allreduce"}, {"with", {{"devices", {"cuda"}}}}}, batches(points()));
  run["runtime"] = {{"collectives", "nccl"}};
  const Training training(folder, "run", run);
  const int code = training.run(ranks(2));
  INFO(training.talk());
  if (std::filesystem::exists("/dev/nvidia1")) {
    CHECK(code == 0);
    return;
  }
  MESSAGE("skipped: no two GPUs");
  CHECK((code == 4 || code == 8));
  CHECK(training.talk().find("nccl") != std::string::npos);
  CHECK(training.talk().find("Start Epoch") == std::string::npos);
}

TEST_CASE("ranks: at parameter servers, the bits of towers that apply their gradients in turn") {
  for (const char* const optimizer : {"momentum", "adam"}) {
    CAPTURE(optimizer);
    Json in_turn =
        manifest(on_devices("async", 2, {{"scale_gradient", false}}), batches(points()), optimizer);
    // The servers hear of what a callback of the workers sets.
    in_turn["callbacks"].push_back({{"use", "scheduled-hyper-param-setter"},
                                    {"with",
                                     {{"param", "learning_rate"},
                                      {"schedule", {{0, 0.01}, {7, 0.002}}},
                                      {"step_based", true}}}});
    const Saved expected = weights(outcomes(in_turn, {"auto"}).at("auto"));
    for (const char* const trainer : {"distributed-replicated", "distributed-parameter-server"})
      for (const int servers : {1, 2}) {
        CAPTURE(trainer);
        CAPTURE(servers);
        Json served = in_turn;
        served["dataflow"] = sharded(batches(points()));
        served["trainer"] = trainer;
        const Saved found =
            weights(outcomes(served, {"auto"}, with_servers(2 + servers, servers)).at("auto"));
        for (const auto& [name, bytes] : expected) {
          CAPTURE(name);
          if (servers == 1 || !name.ends_with("/step")) CHECK(found.at(name) == bytes);
        }
      }
  }
}

TEST_CASE("ranks: at parameter servers, a worker's update is the mean over its towers") {
  const Json sum =
      manifest(on_devices("allreduce", 2, {{"average", false}}), sharded(batches(points())), "sgd");
  const Saved expected = weights(outcomes(sum, {"auto"}, ranks(2)).at("auto"));
  const auto numbers = [](const std::string& text) {
    std::vector<float> values(text.size() / sizeof(float));
    std::memcpy(values.data(), text.data(), text.size());
    return values;
  };
  for (const char* const trainer : {"distributed-replicated", "distributed-parameter-server"}) {
    CAPTURE(trainer);
    const Json served = manifest(on_devices(trainer, 2), sharded(batches(points())), "sgd");
    const Saved found = weights(outcomes(served, {"auto"}, with_servers(3, 1)).at("auto"));
    for (const auto& [name, bytes] : expected) {
      CAPTURE(name);
      const std::vector<float> a = numbers(bytes), b = numbers(found.at(name));
      for (size_t i = 0; i < a.size(); ++i) CHECK(std::abs(a[i] - b[i]) < 1e-6);
    }
  }
}

TEST_CASE("ranks: what parameter servers remember is saved, and they go on from there") {
  for (const bool signalled : {false, true}) {
    CAPTURE(signalled);
    const Folder folder;
    Json endless =
        manifest(on_devices("distributed-replicated", 2), sharded(batches(points())), "adam");
    endless["max_epoch"] = 1000000;
    const Training training(folder, "run", endless);
    const pid_t launcher = training.start(with_servers(4, 2));
    wait_for([&] { return !training.text("checkpoint").empty(); });
    const std::vector<pid_t> children = children_of(launcher);
    REQUIRE(children.size() == 4);
    kill(signalled ? launcher : children[3], signalled ? SIGTERM : SIGKILL);
    CHECK(Training::wait(launcher) == (signalled ? 75 : 128 + SIGKILL));
    INFO(training.talk());
    for (const pid_t child : children) CHECK(kill(child, 0) != 0);
    check_continues(folder, training, endless, with_servers(4, 2));
  }
}

TEST_CASE("ranks: parameter servers make no callbacks, and need workers and a trainer for them") {
  const Folder folder;
  const Training training(folder, "run",
                          manifest("distributed-parameter-server", batches(points())));
  CHECK(training.run(with_servers(2, 1)) == 0);
  CHECK(training.text("rank1.log").find("each step takes") == std::string::npos);
  CHECK(training.run(with_servers(2, 2)) == 2);
  CHECK(training.run({"--ps", "1"}) == 2);
  CHECK(training.run(ranks(2)) == 2);
  INFO(training.talk());
  CHECK(training.talk().find("no parameter server among the ranks") != std::string::npos);
  const Training other(folder, "other", manifest("allreduce", batches(points())));
  CHECK(other.run(with_servers(3, 1)) == 2);
}

#ifdef MPIRUN
namespace {

std::vector<std::string> mpirun(int count) {
  return {MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n", std::to_string(count)};
}

// Open MPI does not give back all it took, by code that is gone when the leak checker looks.
Variables without_leak_check() {
  const char* const options = std::getenv("ASAN_OPTIONS");
  return Variables({{"ASAN_OPTIONS", (options ? std::string(options) : "") + ":detect_leaks=0"}});
}

Json over_mpi(const Json& trainer) {
  Json made = manifest(trainer, sharded(batches(points())));
  made["runtime"] = {{"collectives", "mpi"}, {"collective_timeout", 8}};
  return made;
}

}  // namespace

TEST_CASE("ranks: over MPI, the bits of as many towers in one process") {
  const Variables variables = without_leak_check();
  const Folder folder;
  for (const int count : {2, 4}) {
    CAPTURE(count);
    const std::string name = std::to_string(count);
    const Training inside(folder, "towers" + name, manifest(towers(count), batches(points())));
    REQUIRE(inside.run() == 0);
    const Training training(folder, "ranks" + name, over_mpi("allreduce"));
    CHECK(Training::wait(training.start({}, mpirun(count))) == 0);
    INFO(training.talk());
    CHECK(training.talk().find(name + " ranks met over MPI, started by Open MPI") !=
          std::string::npos);
    CHECK(training.checkpoint(kSteps) == inside.checkpoint(kSteps));
  }
  const Training served(folder, "served", over_mpi("distributed-parameter-server"));
  CHECK(Training::wait(served.start({"--ps", "1"}, mpirun(3))) == 0);
  INFO(served.talk());
  const Training in_turn(
      folder, "in_turn",
      manifest(on_devices("async", 2, {{"scale_gradient", false}}), batches(points())));
  REQUIRE(in_turn.run() == 0);
  CHECK(served.checkpoint(kSteps) == in_turn.checkpoint(kSteps));
}

TEST_CASE("ranks: over MPI, one that is killed or stopped ends all of them in time") {
  const Variables variables = without_leak_check();
  for (const int signal : {SIGKILL, SIGSTOP}) {
    CAPTURE(signal);
    const Folder folder;
    Json endless = over_mpi("allreduce");
    endless["max_epoch"] = 1000000;
    const Training training(folder, "run", endless);
    const pid_t launcher = training.start({}, mpirun(3));
    wait_for([&] { return !training.text("checkpoint").empty(); });
    const std::vector<pid_t> children = children_of(launcher);
    REQUIRE(children.size() >= 3);
    const auto start = std::chrono::steady_clock::now();
    kill(children[1], signal);
    CHECK(Training::wait(launcher) != 0);
    INFO(training.talk());
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(40));
    wait_for([&] { return std::all_of(children.begin(), children.end(), ended); });
    check_continues(folder, training, endless, {}, mpirun(3));
  }
}

TEST_CASE("ranks: over MPI, processes that MPI did not start are refused") {
  const Variables variables = without_leak_check();
  const Folder folder;
  const Training training(folder, "run", over_mpi("allreduce"));
  CHECK(training.run(ranks(2)) == 8);
  INFO(training.talk());
  CHECK(training.talk().find("by MPI, which says otherwise") != std::string::npos);
}
#endif
