// processors_test.cpp: trainings whose gradients are processed: the program of the processors
// leaves the bits of eager calls, also when a training is continued in the middle.
#include <doctest/doctest.h>

#include "language_parity/rows.hpp"
#include "recorded/modes.hpp"

using namespace broch;
using namespace broch::recorded;
using cli_harness::Json;
using parity::Net;

namespace {

constexpr int kEpoch = 25, kEpochs = 13;

Json clip(double norm) { return {{"use", "global-norm-clip"}, {"with", {{"global_norm", norm}}}}; }

struct Network {
  Net net;
  const char* id;
};
const Network kMlp{Net::mlp, "recorded.mlp"},
    kTransformer{Net::transformer, "recorded.transformer"};

Json manifest(const cli_harness::Folder& folder, const Network& network, const Json& processors,
              const char* optimizer = "adam") {
  const std::vector<int64_t> shape = parity::row_shape(network.net);
  int64_t elements = 1;
  for (const int64_t extent : shape) elements *= extent;
  const Json saver{{"use", "model-saver"}, {"when", {{"every_k_epochs", 1}}}};
  const Json probe{{"use", "conformance.probe"}, {"with", {{"names", {"cost"}}}}};
  return {{"broch", 1},
          {"seed", 11},
          {"plugins", {MODELS, PROBE}},
          {"model", {{"use", network.id}}},
          {"optimizer", {{"use", optimizer}, {"with", {{"learning_rate", 0.01}}}}},
          {"gradient_processors", processors},
          {"dataflow", parity::dataflow(folder, parity::make_rows(elements), shape)},
          {"callbacks", Json::array({saver, probe})},
          {"monitors", {"json-writer"}},
          {"runtime", {{"threads", 1}}},
          {"steps_per_epoch", kEpoch},
          {"max_epoch", kEpochs}};
}

// Steps in every mode; recorded, the chain is a program of its own beside the tower's.
void check_chain(const Network& network, const Json& processors, const char* optimizer = "adam") {
  CAPTURE(processors.dump());
  const cli_harness::Folder folder;
  Json made = manifest(folder, network, processors, optimizer);
  made["runtime"]["level"] = "bitwise";
  const auto found = outcomes(made, {"eager", "recorded", "audit"});
  for (const char* mode : {"recorded", "audit"}) {
    CAPTURE(mode);
    check_equal(found.at("eager"), found.at(mode));
    CHECK(cli_harness::count(found.at(mode).log, kRecorded) == 2);
    CHECK(cli_harness::count(found.at(mode).log, "(global-norm-clip") == 1);
    CHECK_FALSE(stays_eager(found.at(mode).log, ""));
  }
}

}  // namespace

TEST_CASE("processors: 325 steps with clipped gradients have the bits of eager steps") {
  check_chain(kMlp, Json::array({clip(0.5)}));
  check_chain(kMlp, Json::array({clip(1e6)}), "sgd");  // nothing is clipped
  check_chain(kTransformer, Json::array({clip(2), clip(0.1)}));
  const Json each{{"use", "norm-clip"}, {"with", {{"norm", 0.01}}}};
  check_chain(kTransformer, Json::array({clip(2), each}));
}

TEST_CASE("processors: without any of them there is no program of theirs") {
  const cli_harness::Folder folder;
  const auto found = outcomes(manifest(folder, kMlp, Json::array()), {"recorded"});
  CHECK(cli_harness::count(found.at("recorded").log, kRecorded) == 1);
}

TEST_CASE("processors: a training that is continued in the middle ends with the same bits") {
  for (const char* level : {"bitwise", "fast"}) {
    CAPTURE(level);
    const cli_harness::Folder folder;
    Json made = manifest(folder, kMlp, Json::array({clip(0.5)}));
    made["runtime"]["level"] = level;
    const cli_harness::Training whole(folder, "whole", made);
    REQUIRE(whole.run() == 0);
    Json half = made;
    half["max_epoch"] = 6;
    REQUIRE(cli_harness::Training(folder, "parts", half).run() == 0);
    const cli_harness::Training parts(folder, "parts", made);
    const int exit_code = parts.run({"--resume"});
    INFO(parts.talk());
    REQUIRE(exit_code == 0);
    CHECK(parts.checkpoint(kEpoch * kEpochs) == whole.checkpoint(kEpoch * kEpochs));
  }
}

TEST_CASE("processors: at level fast clipped trainings repeat, audited or not") {
  const cli_harness::Folder folder;
  Json made = manifest(folder, kTransformer, Json::array({clip(0.5)}));
  made["runtime"]["level"] = "fast";
  const auto found = outcomes(made, {"recorded", "audit"});
  check_equal(found.at("recorded"), found.at("audit"));
}
