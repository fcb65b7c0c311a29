// servers_test.cpp: ranks that are parameter servers.
#include <signal.h>

#include <algorithm>

#include "processes.hpp"
#include "trainings.hpp"

using namespace broch::ranks_test;

namespace {

// Only the first tower of a worker updates the running statistics.
Json with_statistics() {
  return Json::parse(R"({"use": "sequential", "with": {
    "inputs": [{"name": "x", "shape": [-1, 64]},
               {"name": "label", "dtype": "int64", "shape": [-1]}],
    "layers": [{"layer": "fully_connected", "units": 8}, {"layer": "batch_norm"},
               {"layer": "fully_connected", "units": 10}],
    "loss": "cross_entropy"
  }})");
}

}  // namespace

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

TEST_CASE("ranks: at parameter servers, an operator after the updates of some variables") {
  Json zeroed = manifest("distributed-replicated", sharded(batches(points())));
  zeroed["optimizer"] = {{"use", "post-process"},
                         {"with",
                          {{"operator", "aten::zero_(Tensor(a!) self) -> Tensor(a!)"},
                           {"arguments", {"$variable"}},
                           {"variables", "fc1/W"},
                           {"optimizer", zeroed["optimizer"]}}}};
  const Saved found = weights(outcomes(zeroed, {"auto"}, with_servers(3, 2)).at("auto"));
  const std::string& bytes = found.at("fc1/W");
  CHECK(bytes == std::string(bytes.size(), '\0'));
}

TEST_CASE("ranks: what parameter servers remember is saved, and they go on from there") {
  for (const bool signalled : {false, true}) {
    CAPTURE(signalled);
    const Folder folder;
    Json endless =
        manifest(on_devices("distributed-replicated", 2), sharded(batches(points())), "adam");
    endless["model"] = with_statistics();
    endless["max_epoch"] = 1000000;
    const Training training(folder, "run", endless);
    const pid_t launcher = training.start(with_servers(4, 2));
    wait_for([&] { return !training.text("checkpoint").empty(); });
    const std::vector<pid_t> children = children_of(launcher);
    REQUIRE(children.size() == 4);
    kill(signalled ? launcher : children[3], signalled ? SIGTERM : SIGKILL);
    CHECK(Training::wait(launcher) == (signalled ? 75 : 8));
    INFO(training.talk());
    for (const pid_t child : children) CHECK(kill(child, 0) != 0);
    std::vector<std::string> fewer = with_servers(3, 1);
    fewer.emplace_back("--resume");
    CHECK(training.run(fewer) != 0);
    CHECK(training.talk().find("made by a run with 2 servers") != std::string::npos);
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
