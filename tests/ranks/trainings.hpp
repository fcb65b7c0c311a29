// trainings.hpp: trainings of several ranks, what is left of them, and how they go on.
#pragma once
#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include "recorded/modes.hpp"

namespace broch::ranks_test {

using namespace broch::recorded;
using broch::cli_harness::Folder;
using broch::cli_harness::Json;
using broch::cli_harness::Training;

constexpr int kSteps = 20;

inline Json batches(const Json& dataflow) {
  return {{"use", "batch"}, {"with", {{"batch_size", 16}, {"dataflow", dataflow}}}};
}

// Every rank and every tower gets the points that are its own in turn.
inline Json points() {
  return {{"use", "fake"},
          {"with",
           {{"size", 8000},
            {"components",
             {{{"shape", {64}}, {"low", -1}, {"name", "x"}},
              {{"shape", Json::array()}, {"dtype", "int64"}, {"high", 10}, {"name", "label"}}}}}}};
}

inline Json manifest(const Json& trainer, const Json& dataflow,
                     const char* optimizer = "momentum") {
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

inline Json towers(int count) {
  Json devices = Json::array();
  for (int i = 0; i < count; ++i) devices.push_back("cpu:" + std::to_string(i));
  return {{"use", "sync-parameter-server"}, {"with", {{"devices", devices}}}};
}

inline Json sharded(const Json& dataflow) {
  return {{"use", "shard"}, {"with", {{"dataflow", dataflow}}}};
}

inline std::vector<std::string> ranks(int count) { return {"--ranks", std::to_string(count)}; }

using Saved = std::map<std::string, std::string>;

inline Saved weights(const Outcome& outcome) {
  INFO(outcome.talk);
  REQUIRE(outcome.exit_code == 0);
  Saved found;
  for (const auto& [name, bytes] : outcome.saved)
    if (name.starts_with("fc")) found[name] = bytes;
  REQUIRE(found.size() >= 6);
  return found;
}

inline Json on_devices(const char* trainer, int count, const Json& more = Json::object()) {
  Json with = towers(count)["with"];
  with.update(more);
  return {{"use", trainer}, {"with", with}};
}

inline std::vector<std::string> with_servers(int all, int servers) {
  return {"--ranks", std::to_string(all), "--ps", std::to_string(servers)};
}

inline void wait_for(const std::function<bool()>& there) {
  for (int i = 0; i < 600 && !there(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  REQUIRE(there());
}

// Up to the newest checkpoint.
inline int64_t saved_epochs(const Training& training) {
  const std::string list = training.text("checkpoint");
  const size_t at = list.find("model-");
  REQUIRE(at != std::string::npos);
  return std::stoll(list.substr(at + 6)) / kSteps;
}

// Goes on for two more epochs, and ends with the bits of a training that ran through.
inline void check_continues(const Folder& folder, const Training& training, Json manifest,
                            const std::vector<std::string>& started = ranks(3),
                            const std::vector<std::string>& launcher = {}) {
  const int64_t epochs = saved_epochs(training) + 2;
  std::vector<std::string> words = started;
  words.insert(words.end(), {"--resume", "max_epoch=" + std::to_string(epochs)});
  REQUIRE(Training::wait(training.start(words, launcher)) == 0);
  manifest["max_epoch"] = epochs;
  const Training straight(folder, "straight", manifest);
  REQUIRE(Training::wait(straight.start(started, launcher)) == 0);
  CHECK(training.checkpoint(epochs * kSteps) == straight.checkpoint(epochs * kSteps));
}

}  // namespace broch::ranks_test
