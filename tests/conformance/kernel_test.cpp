// kernel_test.cpp: towers with host code in them: numbers, how often it is called, and its
// failures.
#include <doctest/doctest.h>

#include <cmath>

#include "conformance/driver.hpp"
#include "recorded/modes.hpp"

using namespace broch::conformance;
using namespace broch::recorded;
using broch::cli_harness::count;

TEST_CASE("kernel: a loss in C trains with its derivative in C, and answers whole numbers") {
  const Result result(manifest("kernel_loss", {"x", "W", "best", "cost"}));
  Numbers w = result.training().checkpoint(0).at("W");
  const auto cost = [](const Numbers& x, const Numbers& at) {
    double sum = 0;
    const Numbers scores = linear(x, at, 4);
    for (const double score : scores) sum += std::log(std::cosh(score));
    return sum / static_cast<double>(scores.size());
  };
  for (size_t step = 0; step < 6; ++step) {
    const Numbers& x = result.at("x", step);
    const Numbers scores = linear(x, w, 4);
    CHECK(result.number("cost", step) == doctest::Approx(cost(x, w)).epsilon(1e-5));
    for (size_t row = 0; row < 5; ++row) {
      const auto first = scores.begin() + static_cast<ptrdiff_t>(row * 3);
      CHECK(result.at("best", step).at(row) == std::max_element(first, first + 3) - first);
    }
    const Numbers slopes = slope(w, [&](const Numbers& at) { return cost(x, at); });
    CHECK(descent_error(w, result.at("W", step), slopes) < 1e-6);
    w = result.at("W", step);
  }
}

TEST_CASE("kernel: a gradient of a gradient flows through the derivative's own derivative") {
  const Result result(manifest("kernel_second", {"x", "W", "cost"}));
  Numbers w = result.training().checkpoint(0).at("W");
  for (size_t step = 0; step < 6; ++step) {
    const Numbers& x = result.at("x", step);
    const auto cost = [&](const Numbers& at) {
      Numbers y = linear(x, at, 4);
      for (double& value : y) value *= value;
      return mean_square(y);
    };
    CHECK(result.number("cost", step) == doctest::Approx(cost(w)).epsilon(1e-5));
    CHECK(descent_error(w, result.at("W", step), slope(w, cost)) < 1e-5);
    w = result.at("W", step);
  }
}

TEST_CASE("kernel: a gradient of a gradient without a second derivative is an error") {
  check_modes(long_manifest("kernel_first", {"cost"}),
              error("kernel 'first': no derivative, and a gradient of a gradient is asked for"));
}

TEST_CASE("kernel: host code replays with the bits of the eager step") {
  check_modes(long_manifest("kernel_loss", {"best", "W", "cost"}), replays());
  check_modes(long_manifest("kernel_second", {"W", "cost"}), replays());
  check_modes(long_manifest("kernel_state", {"calls", "W", "cost"}), replays());
  check_modes(long_manifest("kernel_pure", {"twice", "first", "second", "W", "cost"}), replays());
}

TEST_CASE("kernel: a stateful one is called once a step, in every mode, read or not") {
  for (const std::vector<std::string>& fetched : {std::vector<std::string>{"calls"}, {}}) {
    for (const auto& [mode, outcome] :
         outcomes(long_manifest("kernel_state", fetched), {"eager", "auto", "audit", "recorded"})) {
      CAPTURE(mode);
      REQUIRE(outcome.exit_code == 0);
      CHECK(count(outcome.log, "the kernel prints") == kLongSteps);
      if (!fetched.empty())
        CHECK(outcome.probe.ends_with("calls " + std::to_string(kLongSteps) + "\n"));
    }
  }
}

TEST_CASE("kernel: the stateful one is not called for the graph of the model") {
  broch::cli_harness::Json shown = long_manifest("kernel_state", {"calls"});
  const broch::cli_harness::Json writer = {{"use", "tf-event-writer"}, {"with", {{"graph", true}}}};
  shown["monitors"].push_back(writer);
  const Result result(shown);
  CHECK(count(result.training().text("log.log"), "the kernel prints") == kLongSteps);
}

TEST_CASE("kernel: the stateful one is called once a step at level fast") {
  broch::cli_harness::Json fast = long_manifest("kernel_state", {"calls"});
  fast["runtime"]["level"] = "fast";
  for (const auto& [mode, outcome] : outcomes(fast, {"auto", "audit"})) {
    CAPTURE(mode);
    INFO(outcome.talk);
    REQUIRE(outcome.exit_code == 0);
    CHECK(count(outcome.log, "the kernel prints") == kLongSteps);
    CHECK(outcome.probe.ends_with("calls " + std::to_string(kLongSteps) + "\n"));
  }
}

TEST_CASE("kernel: a pure one is not called when nobody reads it or its inputs never change") {
  const auto modes = outcomes(long_manifest("kernel_pure", {"cost"}), {"eager", "auto"});
  CHECK(count(modes.at("eager").log, "unread is called") == kLongSteps);
  CHECK(count(modes.at("eager").log, "fixed is called") == kLongSteps);
  constexpr size_t kFew = kLongSteps / 10;  // when it is recorded and when it is compared
  CHECK(count(modes.at("auto").log, "unread is called") < kFew);
  CHECK(count(modes.at("auto").log, "fixed is called") < kFew);
}

TEST_CASE("kernel: a random one draws by use and step") {
  const Result result(manifest("kernel_pure", {"first", "second"}));
  for (size_t step = 0; step < 6; ++step) {
    CHECK(result.number("first", step) != result.number("second", step));
    for (size_t other = 0; other < step; ++other)
      CHECK(result.number("first", step) != result.number("first", other));
  }
}

TEST_CASE("kernel: a failure names the kernel and the instance, eagerly and in a replay") {
  const auto fails = [](const std::string& tower, const std::string& how) {
    CAPTURE(tower);
    std::string id = tower;
    id.replace(id.find('_'), 1, "-");
    check_modes(long_manifest(tower, {"cost"}),
                error("model '" + id + "' (conformance." + id + ")" + how));
  };
  fails("kernel_fails", " failed in kernel 'oracle': the oracle is closed");
  fails("kernel_throws", " violated the interface: let int escape from kernel 'oracle'");
  fails("kernel_operates", " failed in kernel 'oracle': operator aten::ones: a call inside");
  fails("kernel_lies", " violated the interface: returned 77 from kernel 'oracle'");
  fails("kernel_refuses",
        " failed in the shape function of kernel 'oracle': matrices are not for me");
  fails("kernel_misshapes",
        " violated the interface: the shape function of kernel 'oracle' gave output 0 shape (-3,)");
}
