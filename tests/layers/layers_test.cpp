// layers_test.cpp: the weights of a layer after some steps are those of plain LibTorch's.
#include <doctest/doctest.h>

#include "cli_harness/cli_harness.hpp"
#include "plain.hpp"
#include "waves.hpp"

using namespace broch;
using namespace broch::layers_test;
using cli_harness::Json;

namespace {

constexpr double kRate = 0.5;

Json manifest(const std::string& layer, const std::string& execution) {
  const Json saver{{"use", "model-saver"},
                   {"when", {{"before_train", true}, {"every_k_epochs", 1}}}};
  return {{"broch", 1},
          {"plugins", {MODELS}},
          {"model", "layers." + layer},
          {"dataflow", "layers.waves"},
          {"optimizer", {{"use", "sgd"}, {"with", {{"learning_rate", kRate}}}}},
          {"callbacks", {saver}},
          {"runtime", {{"execution", execution}}},
          {"max_epoch", 1}};
}

std::map<std::string, std::vector<int64_t>> shapes(const std::string& layer) {
  const auto cell = [](int64_t gates) -> std::map<std::string, std::vector<int64_t>> {
    return {{"layer/W_ih", {gates * 6, kWidth}},
            {"layer/W_hh", {gates * 6, 6}},
            {"layer/b_ih", {gates * 6}},
            {"layer/b_hh", {gates * 6}}};
  };
  if (layer == "rnn") return cell(1);
  if (layer == "gru") return cell(3);
  if (layer == "lstm") return cell(4);
  if (layer == "embedding") return {{"layer/W", {kIds, 3}}};
  if (layer == "layer_norm")
    return {{"w", {1}}, {"layer/gamma", {kSteps, kWidth}}, {"layer/beta", {kSteps, kWidth}}};
  if (layer == "conv2d_transpose") return {{"layer/W", {1, 2, 3, 3}}, {"layer/b", {2}}};
  if (layer == "frozen") return {{"a/W", {5, kSteps * kWidth}}, {"b/W", {5, 5}}, {"c/W", {5, 5}}};
  std::map<std::string, std::vector<int64_t>> all;
  for (const std::string part : {"query", "key", "value", "out"}) {
    all["layer/" + part + "/W"] = {kWidth, kWidth};
    all["layer/" + part + "/b"] = {kWidth};
  }
  return all;
}

void check(const std::string& layer, const std::string& execution) {
  CAPTURE(layer);
  CAPTURE(execution);
  const cli_harness::Folder folder;
  const cli_harness::Training training(folder, "run", manifest(layer, execution));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  const cli_harness::Values before = training.checkpoint(0), after = training.checkpoint(kPoints);
  Weights first;
  for (const auto& [name, shape] : shapes(layer)) first[name] = {shape, before.at(name)};
  const Weights expected = trained(layer, first, kRate);
  double change = 0;
  for (const auto& [name, weight] : expected) {
    CAPTURE(name);
    const std::vector<double>& ours = after.at(name);
    REQUIRE(ours.size() == weight.values.size());
    for (size_t i = 0; i < ours.size(); ++i) {
      CHECK(ours[i] == doctest::Approx(weight.values[i]).epsilon(1e-5));
      change += std::abs(ours[i] - before.at(name)[i]);
    }
  }
  CHECK(change > 0.01);
}

}  // namespace

TEST_CASE("layers: as LibTorch's, eagerly and recorded") {
  for (const std::string execution : {"eager", "auto"})
    for (const std::string layer :
         {"rnn", "gru", "lstm", "embedding", "layer_norm", "attention", "cross_attention",
          "attention_with_dropout", "conv2d_transpose", "frozen"})
      check(layer, execution);
}

TEST_CASE("layers: a frozen variable of the model is no trainable one") {
  const cli_harness::Folder folder;
  const cli_harness::Training training(folder, "run", manifest("frozen", "auto"));
  REQUIRE(training.run() == 0);
  CHECK(training.checkpoint(0).at("b/W") == training.checkpoint(kPoints).at("b/W"));
  CHECK(training.talk().find("a/W") != std::string::npos);  // the table of trainables
  CHECK(training.talk().find("b/W") == std::string::npos);
}
