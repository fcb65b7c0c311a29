// networks_test.cpp: a network under strategies that promise the same result.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "recorded/modes.hpp"

using namespace broch::recorded;
using broch::cli_harness::Json;

namespace {

constexpr int kBatch = 16, kSteps = 20;

Json number(const char* optimizer) {
  return {{"use", optimizer},
          {"with", {{"learning_rate", std::string(optimizer) == "adam" ? 1e-3 : 0.05}}}};
}

// Towers take the batches in turn, so that n of them see in a step what one sees in a batch n times
// as long.
Json manifest(const Json& trainer, const char* optimizer, int batch) {
  const Json points{
      {"use", "fake"},
      {"with",
       {{"size", 997},
        {"components",
         {{{"shape", {64}}, {"low", -1}, {"name", "x"}},
          {{"shape", Json::array()}, {"dtype", "int64"}, {"high", 10}, {"name", "label"}}}}}}};
  return {{"broch", 1},
          {"seed", 11},
          {"plugins", {NETWORKS}},
          {"model", {{"use", "recorded.mlp"}}},
          {"optimizer", number(optimizer)},
          {"dataflow", {{"use", "batch"}, {"with", {{"batch_size", batch}, {"dataflow", points}}}}},
          {"callbacks", {"model-saver"}},
          {"monitors", {"json-writer"}},
          {"trainer", trainer},
          {"steps_per_epoch", kSteps},
          {"max_epoch", 1}};
}

Json at_level(Json manifest, const char* level) {
  manifest["runtime"]["level"] = level;
  return manifest;
}

// The two costs of one network, whose pictures are 8x8.
Json gan(const char* trainer, const char* level) {
  const Json points{{"use", "fake"},
                    {"with",
                     {{"size", 8},
                      {"components",
                       {{{"shape", {kBatch, 6}}, {"low", -1}, {"name", "z"}},
                        {{"shape", {kBatch, 3, 8, 8}}, {"low", -1}, {"name", "x"}}}}}}};
  return {{"broch", 1},
          {"seed", 11},
          {"plugins", {NETWORKS}},
          {"model", {{"use", "recorded.gan"}}},
          {"optimizer", number("sgd")},
          {"dataflow", points},
          {"callbacks", {"model-saver"}},
          {"monitors", {"json-writer"}},
          {"trainer", {{"use", trainer}}},
          {"runtime", {{"level", level}}},
          {"steps_per_epoch", kSteps},
          {"max_epoch", 1}};
}

Json with_towers(const char* use, int towers) {
  Json devices = Json::array();
  for (int i = 0; i < towers; ++i) devices.push_back("cpu:" + std::to_string(i));
  return {{"use", use}, {"with", {{"devices", devices}}}};
}

using Saved = std::map<std::string, std::string>;

Saved trained(const Json& manifest, const std::string& mode = "auto") {
  const Outcome outcome = outcomes(manifest, {mode}).at(mode);
  INFO(outcome.talk);
  REQUIRE(outcome.exit_code == 0);
  REQUIRE_FALSE(outcome.saved.empty());
  return outcome.saved;
}

bool is_weight(const std::string& name) { return name.ends_with("W") || name.ends_with("b"); }

// Of the main replica.
Saved weights(const Saved& saved) {
  Saved found;
  for (const auto& [name, bytes] : saved)
    if (is_weight(name) && !name.starts_with("tower")) found[name] = bytes;
  REQUIRE(found.size() >= 4);
  return found;
}

std::vector<float> floats(const std::string& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// The largest difference, as a part of the largest element.
double difference(const Saved& a, const Saved& b) {
  double largest = 0;
  for (const auto& [name, bytes] : a) {
    const std::vector<float> x = floats(bytes), y = floats(b.at(name));
    REQUIRE(x.size() == y.size());
    double apart = 0, length = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      apart = std::max(apart, std::abs(double(x[i]) - double(y[i])));
      length = std::max(length, std::abs(double(x[i])));
    }
    largest = std::max(largest, apart / length);
  }
  return largest;
}

}  // namespace

TEST_CASE("networks: parameter server and replicas give equal bits, replayed or not") {
  const auto made = [](const char* trainer, const char* optimizer, const char* level) {
    return at_level(manifest(with_towers(trainer, 3), optimizer, kBatch), level);
  };
  for (const char* optimizer : {"sgd", "momentum", "adam"})
    for (const char* level : {"bitwise", "fast"}) {
      CAPTURE(optimizer);
      CAPTURE(level);
      const Json server = made("sync-parameter-server", optimizer, level);
      const Saved expected = weights(trained(server));
      const bool is_bitwise = level == std::string("bitwise");
      CHECK((weights(trained(server, "eager")) == expected) == is_bitwise);
      const Saved replicated = trained(made("sync-replicated", optimizer, level));
      CHECK(weights(replicated) == expected);
      for (const auto& [name, bytes] : expected) CHECK(replicated.at("tower2/" + name) == bytes);
    }
}

TEST_CASE("networks: towers compute what one tower computes on all of their data") {
  for (const char* optimizer : {"sgd", "momentum", "adam"}) {
    CAPTURE(optimizer);
    const Saved one = weights(trained(manifest(with_towers("simple", 1), optimizer, 2 * kBatch)));
    const Saved two =
        weights(trained(manifest(with_towers("sync-parameter-server", 2), optimizer, kBatch)));
    CHECK(difference(one, two) <= 1e-6);
    CHECK(difference(one, two) > 0);  // they are not one and the same training
  }
}

TEST_CASE("networks: batch norm with the statistics of all towers trains like one tower") {
  const auto synchronized = [](const Json& trainer, int batch, const char* level = "bitwise") {
    Json entries = manifest(trainer, "sgd", batch);
    entries["model"]["use"] = "recorded.synchronized";
    return at_level(entries, level);
  };
  const auto without_counts = [](Saved saved) {
    std::erase_if(saved, [](const auto& one) {
      return one.first.starts_with("tower") || !one.first.ends_with("EMA");
    });
    REQUIRE(saved.size() == 4);
    return saved;
  };
  const Json two = synchronized(with_towers("sync-parameter-server", 2), kBatch);
  const Saved one = trained(synchronized(with_towers("simple", 1), 2 * kBatch));
  const Saved eager = trained(two, "eager");
  CHECK(difference(weights(one), weights(eager)) <= 1e-4);
  CHECK(difference(without_counts(one), without_counts(eager)) <= 1e-4);
  CHECK(weights(eager) != weights(one));  // they are not one and the same training
  for (const char* mode : {"recorded", "audit"}) {
    CAPTURE(mode);
    const Saved found = trained(two, mode);
    CHECK(weights(found) == weights(eager));
    CHECK(without_counts(found) == without_counts(eager));
  }
  CHECK(weights(trained(synchronized(with_towers("sync-replicated", 2), kBatch))) ==
        weights(eager));
  // What towers tell each other must not depend on whether a step is replayed or compared.
  const Json fast = synchronized(with_towers("sync-parameter-server", 2), kBatch, "fast");
  CHECK(weights(trained(fast, "recorded")) == weights(eager));
}

TEST_CASE("networks: async scaled is the mean for plain descent, and replays its own bits") {
  const Json async = at_level(manifest(with_towers("async", 2), "sgd", kBatch), "bitwise");
  const Saved eager = weights(trained(async, "eager"));
  CHECK(weights(trained(async)) == eager);
  const Json fast = at_level(async, "fast");
  CHECK(weights(trained(fast)) == weights(trained(fast, "audit")));
  const Saved mean =
      weights(trained(manifest(with_towers("sync-parameter-server", 2), "sgd", kBatch)));
  CHECK(difference(mean, eager) <= 1e-6);
}

TEST_CASE("networks: both costs of a gan replay the bits of eager steps, and stay near at fast") {
  for (const char* trainer : {"gan", "separate-gan"}) {
    CAPTURE(trainer);
    const Saved eager = weights(trained(gan(trainer, "bitwise"), "eager"));
    CHECK(weights(trained(gan(trainer, "bitwise"), "recorded")) == eager);
    const Saved fast = weights(trained(gan(trainer, "fast"), "recorded"));
    CHECK(difference(fast, eager) <= 1e-5);
    CHECK(fast != eager);  // other kernels were at work
  }
}
