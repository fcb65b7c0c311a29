// parity_test.cpp: 1,000 steps through the program leave the weights of a plain LibTorch loop, bit
// for bit.
#include <doctest/doctest.h>

#include <iostream>

#include "language_parity/rows.hpp"

using namespace broch;
using namespace broch::parity;

namespace {

constexpr int kSteps = 1000;

struct Case {
  const char* name;
  Rule rule;
  double rate;
  cli_harness::Json optimizer;
};

cli_harness::Json manifest(const std::string& language, const cli_harness::Json& dataflow,
                           const Case& one) {
  using cli_harness::Json;
  const Json saver{{"use", "model-saver"},
                   {"when", {{"before_train", true}, {"every_k_epochs", 1}}},
                   {"with", {{"max_to_keep", 0}}}};
  return {{"broch", 1},
          {"seed", 7},
          {"plugins", {PLUGIN_DIR "/parity_" + language + ".so"}},
          {"model", {{"use", "parity." + language}}},
          {"optimizer", one.optimizer},
          {"dataflow", dataflow},
          {"callbacks", Json::array({saver})},
          {"monitors", Json::array()},
          {"runtime", {{"threads", 1}, {"level", "bitwise"}}},
          {"steps_per_epoch", 20},
          {"max_epoch", kSteps / 20}};
}

void check_case(const Case& one) {
  CAPTURE(one.name);
  const std::vector<int64_t> row_shape = parity::row_shape(Net::convnet);
  const Rows rows = make_rows(row_shape[1] * row_shape[2]);
  const cli_harness::Folder folder;
  const cli_harness::Json data = dataflow(folder, rows, row_shape);
  std::map<int, Weights> plain;
  for (const std::string language : {"c", "cpp"}) {
    CAPTURE(language);
    const cli_harness::Training training(folder, language, manifest(language, data, one));
    const int exit_code = training.run();
    INFO(training.talk());
    REQUIRE(exit_code == 0);
    if (plain.empty()) {
      const Weights first = weights(training, 0);
      REQUIRE(first.size() == 8);
      for (const int steps : {0, 20, kSteps})
        plain[steps] = train(Net::convnet, first, rows, one.rule, one.rate, steps);
    }
    for (const auto& [step, expected] : plain) {
      const Weights ours = weights(training, step);
      std::cout << one.name << " step " << step << ": " << language << " " << hash(ours)
                << ", plain LibTorch " << hash(expected) << "\n";
      CHECK(ours == expected);
      CHECK(hash(ours) == hash(expected));
    }
  }
  CHECK(hash(plain[0]) != hash(plain[20]));
}

}  // namespace

TEST_CASE("program: 1,000 steps of gradient descent are those of a plain loop, bit for bit") {
  check_case({"sgd", Rule::sgd, 0.05, {{"use", "sgd"}, {"with", {{"learning_rate", 0.05}}}}});
}
TEST_CASE("program: 1,000 steps of momentum are those of a plain loop, bit for bit") {
  check_case({"momentum",
              Rule::momentum,
              0.01,
              {{"use", "momentum"}, {"with", {{"learning_rate", 0.01}, {"momentum", 0.9}}}}});
}
TEST_CASE("program: 1,000 steps of Adam are those of a plain loop, bit for bit") {
  check_case({"adam", Rule::adam, 1e-3, {{"use", "adam"}, {"with", {{"learning_rate", 1e-3}}}}});
}
