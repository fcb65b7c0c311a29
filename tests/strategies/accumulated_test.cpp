// accumulated_test.cpp: gradient processors inside of accum-grad, which see sums of gradients.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "rules.hpp"

using namespace broch::test;

namespace {

constexpr size_t kRuns = 3;                  // per update
constexpr double kEach = 3.5, kMost = 1.25;  // limits of a gradient and of a sum or mean
const std::vector<double> kGradients{2, -1, 4, 0.5, -3, 1, 0.25, 0.5, -0.5, 5, 2, -6};

Json clip(double norm) { return entry("global-norm-clip", {{"global_norm", norm}}); }
Json processed(const std::vector<Json>& processors, const Json& inner) {
  return around("apply-grad-processors", inner, {{"gradient_processors", processors}});
}
Json summed(const Json& inner, bool average = false) {
  return around("accum-grad", inner, {{"niter", kRuns}, {"average", average}});
}
// Gradients are clipped to kEach, and their sums or means to kMost.
Json clipped_twice(const Optimizer& optimizer, bool average = false) {
  const Json rule = entry(optimizer.use, {{"learning_rate", optimizer.rate}});
  return processed({clip(kEach)}, summed(processed({clip(kMost)}, rule), average));
}
// The same in plain arithmetic: w after each run.
std::vector<double> expected(const Optimizer& optimizer, bool average = false) {
  Descent plain(optimizer);
  std::vector<double> values;
  double sum = 0;
  for (size_t i = 0; i < kGradients.size(); ++i) {
    sum += std::clamp(kGradients[i], -kEach, kEach);
    if (i % kRuns == kRuns - 1) {
      plain.apply(std::clamp(average ? sum / double(kRuns) : sum, -kMost, kMost));
      sum = 0;
    }
    values.push_back(plain.w);
  }
  return values;
}

std::vector<double> w_after(const Json& optimizer, const std::vector<double>& gradients,
                            const std::string& execution = "auto") {
  Strategy strategy("simple");
  strategy.optimizer = optimizer;
  strategy.execution = execution;
  strategy.plugins = {OWN_RULES};
  const bool trained = strategy.train(gradients, 1, gradients.size(), {});
  INFO(strategy.project.failure);
  REQUIRE(trained);
  return strategy.values("w");
}

std::string refusal(const std::string& use, const Json& optimizer) {
  Strategy strategy(use);
  strategy.optimizer = optimizer;
  CHECK_FALSE(strategy.train({1, 1, 1}, 1, 3, {}));
  return strategy.project.failure;
}

}  // namespace

TEST_CASE("accumulated: processors outside see each gradient, those inside the sum or the mean") {
  for (const char* const execution : {"eager", "recorded", "audit"}) {
    CAPTURE(execution);
    check_near(w_after(clipped_twice({"adam", 0.1}), kGradients, execution),
               expected({"adam", 0.1}));
    check_near(w_after(clipped_twice({"momentum", 0.1}, true), kGradients, execution),
               expected({"momentum", 0.1}, true));
  }
}

TEST_CASE("accumulated: a run that is resumed between two updates goes on") {
  for (const char* const execution : {"eager", "recorded"}) {
    CAPTURE(execution);
    Strategy strategy("simple");
    strategy.optimizer = clipped_twice({"adam", 0.1});
    strategy.execution = execution;
    strategy.callbacks = {"model-saver"};
    REQUIRE(strategy.train(kGradients, 1, 4, {}));
    std::vector<double> found = strategy.values("w");
    strategy.resume = true;
    strategy.epochs = 3;
    REQUIRE(strategy.train(kGradients, 1, 4, {}));
    for (const double w : strategy.values("w")) found.push_back(w);
    check_near(found, expected({"adam", 0.1}));
  }
}

TEST_CASE("accumulated: every strategy of one process clips what it has summed up") {
  const Gradients gradients{{1, 3}, {2, 4}, {5, 5}};
  const Json optimizer = summed(processed({clip(kMost)}, sgd()));
  for (const char* const execution : {"eager", "recorded"}) {
    CAPTURE(execution);
    for (const char* const use : {"sync-parameter-server", "sync-replicated"}) {
      CAPTURE(use);
      Strategy strategy(use);
      strategy.execution = execution;
      strategy.optimizer = optimizer;
      const bool replicated = use == std::string("sync-replicated");
      if (replicated) strategy.fetches = {"w", "tower1/w"};
      check_near(strategy.train(gradients, {}), {1, 1, .875});  // 2 + 3 + 5 are clipped
      if (replicated) CHECK(strategy.values("tower1/w") == strategy.values("w"));
    }
    // Each tower's gradient, halved, is a run: 0.5 + 1.5 + 1 and 2 + 2.5 + 2.5 are clipped.
    Strategy apart("async");
    apart.execution = execution;
    apart.optimizer = optimizer;
    check_near(apart.train(gradients, {}), {1, .875, .75});
  }
}

TEST_CASE("accumulated: a processor of a plugin remembers something for each replica") {
  for (const char* const execution : {"eager", "recorded"}) {
    CAPTURE(execution);
    Strategy strategy("sync-replicated");
    strategy.execution = execution;
    strategy.plugins = {OWN_RULES};
    strategy.optimizer = summed(processed({entry("test.largest")}, sgd()));
    strategy.fetches = {"w", "tower1/w"};
    // The sums of the means are 10 and -1, and are divided by 10.
    check_near(strategy.train({{1, 3}, {2, 4}, {5, 5}, {-1, -1}, {0, 0}, {-1, 1}}, {}),
               {1, 1, .9, .9, .9, .91});
    CHECK(strategy.values("tower1/w") == strategy.values("w"));
  }
}

// The towers of async make two updates in a step, or one, whose noise is that of the second.
TEST_CASE("accumulated: two updates in one step draw different noise") {
  const auto moved = [](int niter) {
    Strategy strategy("async");
    const Json noise = entry("gradient-noise", {{"eta", 1}, {"gamma", 0}});
    strategy.optimizer = around("accum-grad", processed({noise}, sgd()), {{"niter", niter}});
    strategy.train(Gradients{{0, 0, 0, 0}}, {});
    INFO(strategy.project.failure);
    return strategy.values("w").at(0) - 1;
  };
  const double one = moved(4), two = moved(2);
  CHECK(one != 0);
  CHECK(std::abs(two - 2 * one) > 1e-6);
}

TEST_CASE("accumulated: other wrappers may stand between accum-grad and the processors") {
  const Json halve{{"operator", "aten::mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"},
                   {"arguments", {"$variable", 0.5}}};
  Json twice;
  twice["variables"] = "w";
  twice["factors"]["learning_rate"] = 2;
  const Json grouped = around("variable-groups", processed({clip(kMost)}, sgd()),
                              {{"groups", std::vector<Json>{twice}}});
  const Json ahead = around("lookahead", around("proxy", grouped), {{"k", 2}, {"alpha", 0.5}});
  // An update subtracts 0.25. The second one goes to 0.125, and back half the way to 1.
  check_near(w_after(summed(around("post-process", ahead, halve)), {3, 5, 1, 3, 5, 1}),
             {1, 1, .375, .375, .375, .28125});
}

TEST_CASE("accumulated: a plugin's processor and rule work once per update") {
  // The sums 5, -1.5, 0.25 and 1 (unclipped) are divided by the largest, 5.
  for (const char* const execution : {"eager", "recorded", "audit"}) {
    CAPTURE(execution);
    const Json rule = entry("test.heavy-ball", {{"learning_rate", 0.1}, {"momentum", 0}});
    check_near(w_after(summed(processed({entry("test.largest")}, rule)), kGradients, execution),
               {1, 1, .9, .9, .9, .93, .93, .93, .925, .925, .925, .905});
  }
}

TEST_CASE("accumulated: processors that watch see the sums, and nothing in other runs") {
  Strategy strategy("simple");
  strategy.optimizer =
      summed(processed({entry("print-gradient"), entry("summary-gradient")}, sgd()));
  strategy.callbacks = {"moving-average-summary", "merge-all-summaries"};
  strategy.monitors = Json::array({Json::parse(strategy.project.listener())});
  REQUIRE(strategy.train({3, 5, 1, 3, 5, 1}, 1, 6, {}));
  CHECK(strategy.project.log_lines("gradient of w: ") ==
        Lines(2, "gradient of w: shape (), mean 9, rms 9"));
  const std::vector<double> rms = strategy.values("M.scalar w/rms");
  REQUIRE(rms.size() == 1);
  CHECK(rms[0] == doctest::Approx(9));

  const Json spoil =
      entry("map-gradient", {{"operator", "aten::div.Scalar(Tensor self, Scalar other) -> Tensor"},
                             {"arguments", {"$gradient", 0}}});
  const Json checked = summed(processed({spoil, entry("check-gradient")}, sgd()));
  CHECK(w_after(checked, {1, 1}) == std::vector<double>{1, 1});  // before the first update
  CHECK(refusal("simple", checked).find("CheckGradient/w") != std::string::npos);
}

TEST_CASE("accumulated: what cannot be done is refused") {
  const Json none =
      entry("scale-gradient", {{"multipliers", Json::array({Json::array({"w", 0})})}});
  CHECK(refusal("simple", summed(processed({none}, sgd())))
            .find("processors that leave no gradient") != std::string::npos);
  CHECK(refusal("distributed-replicated", summed(processed({clip(1)}, sgd())))
            .find("gradient processors inside of accum-grad") != std::string::npos);
}
