// first_header_test.cpp: what was compiled with the first headers trains, resumes and passes the
// broch plugin check.
#include <doctest/doctest.h>

#include <cstdlib>

#include "cli_harness/cli_harness.hpp"

using namespace broch::cli_harness;

namespace {

Json manifest(const std::string& execution, int epochs) {
  return {{"broch", 1},
          {"plugins", {PLUGIN}},
          {"model", "org.example.line"},
          {"dataflow", "org.example.points"},
          {"callbacks", {"org.example.counter", "model-saver"}},
          {"runtime", {{"execution", execution}}},
          {"max_epoch", epochs}};
}

// Plain descent on the mean of the squares, as line.c's points are made.
std::vector<double> fitted(int epochs) {
  std::vector<double> w = {0.5, 0.5};
  for (int step = 0; step < epochs * 6; ++step) {
    double gradient[2] = {};
    for (int row = 0; row < 4; ++row) {
      const auto x = [&](int column) {
        return ((step % 6) * 8 + (2 * row + column) * 3) % 7 / 4.0;
      };
      const double miss = w[0] * x(0) + w[1] * x(1) - (2 * x(0) - x(1));
      for (int column = 0; column < 2; ++column) gradient[column] += 2 * miss * x(column) / 4;
    }
    for (int column = 0; column < 2; ++column) w[size_t(column)] -= 0.1 * gradient[column];
  }
  return w;
}

}  // namespace

TEST_CASE("first header: a model, a dataflow and a callback train, eagerly and recorded") {
  const Folder folder;
  const std::vector<double> expected = fitted(4);
  for (const std::string execution : {"eager", "recorded"}) {
    CAPTURE(execution);
    const Training training(folder, execution, manifest(execution, 4));
    REQUIRE_MESSAGE(training.run() == 0, training.talk());
    const std::vector<double> w = training.checkpoint(24).at("w");
    for (size_t i = 0; i < 2; ++i) CHECK(w[i] == doctest::Approx(expected[i]).epsilon(1e-5));
    CHECK(training.stats().back().at("steps") == 24);
    CHECK(training.stats().back().at("line_cost").is_number());
  }
}

TEST_CASE("first header: what it keeps survives a restart, and the bits are the same") {
  const Folder folder;
  const Training whole(folder, "whole", manifest("auto", 4));
  REQUIRE(whole.run() == 0);
  const Training parts(folder, "parts", manifest("auto", 4));
  REQUIRE(parts.run({"max_epoch=2"}) == 0);
  REQUIRE(parts.run({"--resume"}) == 0);
  CHECK(parts.checkpoint(24) == whole.checkpoint(24));
  CHECK(parts.stats().back().at("steps") == 24);
}

TEST_CASE("first header: it passes broch plugin check") {
  const std::string check = std::string(BROCH_PROGRAM) + " plugin check " + PLUGIN +
                            " --configurations 10 --creations 20 --faults 6 > /dev/null";
  CHECK(std::system(check.c_str()) == 0);
}
