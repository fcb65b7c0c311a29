// long_test.cpp: 1,000 steps leave the same bits recorded and eagerly, and, where nothing is drawn,
// as a plain LibTorch loop.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "language_parity/rows.hpp"
#include "recorded/modes.hpp"

using namespace broch;
using namespace broch::recorded;
using cli_harness::Json;
using parity::Net;
using parity::Rule;

namespace {

constexpr int kSteps = 1000, kEpoch = 25;

struct Network {
  Net net;
  std::string id;
};

Json optimizer(Rule rule, double rate) {
  const char* use = rule == Rule::sgd ? "sgd" : rule == Rule::momentum ? "momentum" : "adam";
  return {{"use", use}, {"with", {{"learning_rate", rate}}}};
}

Json manifest(const Network& network, const Json& dataflow, Rule rule, double rate) {
  const Json first{{"use", "model-saver"},
                   {"when", {{"before_train", true}, {"every_k_epochs", kSteps / kEpoch}}}};
  const Json probe{{"use", "conformance.probe"}, {"with", {{"names", {"cost", "logits"}}}}};
  return {{"broch", 1},
          {"seed", 7},
          {"plugins", {MODELS, PROBE}},
          {"model", {{"use", "recorded." + network.id}}},
          {"optimizer", optimizer(rule, rate)},
          {"dataflow", dataflow},
          {"callbacks", Json::array({first, probe})},
          {"monitors", {"json-writer"}},
          {"runtime", {{"threads", 1}, {"level", "bitwise"}}},
          {"steps_per_epoch", kEpoch},
          {"max_epoch", kSteps / kEpoch}};
}

Json data_of(const cli_harness::Folder& folder, Net net, parity::Rows& rows) {
  const std::vector<int64_t> shape = parity::row_shape(net);
  int64_t elements = 1;
  for (const int64_t extent : shape) elements *= extent;
  rows = parity::make_rows(elements);
  return parity::dataflow(folder, rows, shape);
}

parity::Weights of_bytes(const std::map<std::string, std::string>& saved,
                         const parity::Weights& like) {
  parity::Weights weights = like;
  for (auto& [name, values] : weights) {
    REQUIRE(saved.at(name).size() == values.size() * sizeof(float));
    std::memcpy(values.data(), saved.at(name).data(), saved.at(name).size());
  }
  return weights;
}

// The weights that the network starts with, from a run that ends before its first step.
parity::Weights first_weights(const cli_harness::Folder& folder, Json manifest) {
  manifest["max_epoch"] = 0;
  const cli_harness::Training training(folder, "first", manifest);
  REQUIRE(training.run() == 0);
  return parity::weights(training, 0);
}

// also_plain: the plain loop of this process, with its instructions, has no draws of ours.
void check_network(const Network& network, Rule rule, double rate, bool also_plain) {
  CAPTURE(network.id);
  CAPTURE(static_cast<int>(rule));
  const cli_harness::Folder folder;
  parity::Rows rows;
  const Json made = manifest(network, data_of(folder, network.net, rows), rule, rate);
  const auto found = outcomes(made, {"eager", "recorded"});
  check_equal(found.at("eager"), found.at("recorded"));
  CHECK(cli_harness::count(found.at("recorded").log, kRecorded) > 0);
  if (!also_plain) return;
  const parity::Weights first = first_weights(folder, made);
  const parity::Weights plain = parity::train(network.net, first, rows, rule, rate, kSteps);
  CHECK(plain != first);
  CHECK(of_bytes(found.at("recorded").saved, first) == plain);
}

// How far apart all trained numbers are, relative to how far the training has moved them.
double distance(const parity::Weights& first, const parity::Weights& expected,
                const parity::Weights& found) {
  double apart = 0, moved = 0;
  for (const auto& [name, values] : expected)
    for (size_t i = 0; i < values.size(); ++i) {
      const double error = found.at(name)[i] - values[i], way = values[i] - first.at(name)[i];
      apart += error * error;
      moved += way * way;
    }
  return std::sqrt(apart / moved);
}

// 100 steps at level fast end near the eager ones, twice at the same bits, audited or not.
void check_fast(const Network& network, Rule rule, double rate) {
  CAPTURE(network.id);
  const cli_harness::Folder folder;
  parity::Rows rows;
  Json made = manifest(network, data_of(folder, network.net, rows), rule, rate);
  made["max_epoch"] = made["callbacks"][0]["when"]["every_k_epochs"] = 4;
  const Outcome plain = outcomes(made, {"eager"}).at("eager");
  made["runtime"]["level"] = "fast";
  const auto fast = outcomes(made, {"recorded", "audit"});
  check_equal(fast.at("recorded"), fast.at("audit"));
  CHECK(cli_harness::count(fast.at("recorded").log, kRecorded) > 0);
  const parity::Weights first = first_weights(folder, made);
  const double error =
      distance(first, of_bytes(plain.saved, first), of_bytes(fast.at("recorded").saved, first));
  CHECK(error > 0);  // other bits: the kernels were there
  CHECK(error < 0.01);
}

// The programs started meanwhile use these instructions at most.
class Instructions {
 public:
  explicit Instructions(const char* widest) {
    setenv("BROCH_ISA", widest, 1);
    setenv("ATEN_CPU_CAPABILITY", widest, 1);
  }
  ~Instructions() {
    unsetenv("BROCH_ISA");
    unsetenv("ATEN_CPU_CAPABILITY");
  }
  Instructions(const Instructions&) = delete;
  Instructions& operator=(const Instructions&) = delete;
};

const Network kMlp{Net::mlp, "mlp"}, kTransformer{Net::transformer, "transformer"},
    kConvNet{Net::convnet, "convnet"};

}  // namespace

TEST_CASE("recording: 1,000 steps of linear layers have the bits of eager and plain steps") {
  check_network(kMlp, Rule::sgd, 0.05, true);
  check_network(kMlp, Rule::momentum, 0.01, true);
  check_network(kMlp, Rule::adam, 1e-3, true);
}

TEST_CASE("recording: 1,000 steps of a transformer have the bits of eager and plain steps") {
  check_network(kTransformer, Rule::adam, 1e-3, true);
  check_network(kTransformer, Rule::sgd, 0.05, true);
}

TEST_CASE("recording: 1,000 steps with batch norm and dropout have the bits of eager steps") {
  check_network(kConvNet, Rule::momentum, 0.01, false);
  check_network(kConvNet, Rule::adam, 1e-3, false);
}

TEST_CASE("recording: level fast trains networks as near to eager steps as rounding allows") {
  check_fast(kMlp, Rule::momentum, 0.01);
  check_fast(kTransformer, Rule::sgd, 0.05);
  check_fast(kConvNet, Rule::sgd, 0.01);
}

TEST_CASE("recording: both levels hold with narrower instructions") {
  const Instructions avx2("avx2");
  check_network(kMlp, Rule::adam, 1e-3, false);
  check_fast(kTransformer, Rule::sgd, 0.05);
  check_fast(kConvNet, Rule::sgd, 0.01);
}
