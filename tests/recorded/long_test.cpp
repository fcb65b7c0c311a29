// long_test.cpp: 1,000 steps leave the same bits recorded and eagerly, and, where nothing is drawn,
// as a plain LibTorch loop.
#include <doctest/doctest.h>

#include <cstring>

#include "parity/rows.hpp"
#include "recorded/modes.hpp"

using namespace broch;
using namespace broch::recorded;
using door::Json;
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
          {"runtime", {{"threads", 1}}},
          {"steps_per_epoch", kEpoch},
          {"max_epoch", kSteps / kEpoch}};
}

Json data_of(const door::Folder& folder, Net net, parity::Rows& rows) {
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
parity::Weights first_weights(const door::Folder& folder, Json manifest) {
  manifest["max_epoch"] = 0;
  const door::Training training(folder, "first", manifest);
  REQUIRE(training.run() == 0);
  return parity::weights(training, 0);
}

void check_network(const Network& network, Rule rule, double rate, bool draws) {
  CAPTURE(network.id);
  CAPTURE(static_cast<int>(rule));
  const door::Folder folder;
  parity::Rows rows;
  const Json made = manifest(network, data_of(folder, network.net, rows), rule, rate);
  const auto found = outcomes(made, {"eager", "recorded"});
  check_equal(found.at("eager"), found.at("recorded"));
  if (kRecorderPresent) CHECK(door::count(found.at("recorded").log, kRecorded) > 0);
  if (draws) return;
  const parity::Weights first = first_weights(folder, made);
  const parity::Weights plain = parity::train(network.net, first, rows, rule, rate, kSteps);
  CHECK(plain != first);
  CHECK(of_bytes(found.at("recorded").saved, first) == plain);
}

const Network kMlp{Net::mlp, "mlp"}, kTransformer{Net::transformer, "transformer"},
    kConvNet{Net::convnet, "convnet"};

}  // namespace

TEST_CASE("recording: 1,000 steps of linear layers have the bits of eager and plain steps") {
  check_network(kMlp, Rule::sgd, 0.05, false);
  check_network(kMlp, Rule::momentum, 0.01, false);
  check_network(kMlp, Rule::adam, 1e-3, false);
}

TEST_CASE("recording: 1,000 steps of a transformer have the bits of eager and plain steps") {
  check_network(kTransformer, Rule::adam, 1e-3, false);
  check_network(kTransformer, Rule::sgd, 0.05, false);
}

TEST_CASE("recording: 1,000 steps with batch norm and dropout have the bits of eager steps") {
  check_network(kConvNet, Rule::momentum, 0.01, true);
  check_network(kConvNet, Rule::adam, 1e-3, true);
}
