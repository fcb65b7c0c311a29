// optimizers_test.cpp: update rules and what stands around them, on one number.
#include <doctest/doctest.h>

#include <algorithm>

#include "rules.hpp"

using namespace broch::test;

namespace {

constexpr const char* kClamp =
    "aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor";
constexpr const char* kAdd =
    "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor";
constexpr const char* kDivide = "aten::div.Scalar(Tensor self, Scalar other) -> Tensor";

// w from 1.0 after each step with these gradients.
std::vector<double> descent(const Json& optimizer, const std::vector<double>& gradients,
                            const Json& processors = Json::array()) {
  Strategy strategy("simple");
  strategy.optimizer = optimizer;
  strategy.processors = processors;
  const bool trained = strategy.train(gradients, 1, gradients.size(), {});
  INFO(strategy.project.failure);
  REQUIRE(trained);
  return strategy.values("w");
}

std::string failure(const Json& optimizer, const Json& processors = Json::array()) {
  Strategy strategy("simple");
  strategy.optimizer = optimizer;
  strategy.processors = processors;
  CHECK_FALSE(strategy.train({1, 1}, 1, 2, {}));
  return strategy.project.failure;
}

void check_values(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    CHECK(found[i] == doctest::Approx(expected[i]).epsilon(2e-6));
}

}  // namespace

TEST_CASE("optimizers: LibTorch's rules and those of TensorFlow 1") {
  struct Row {
    const char* use;
    Json with;
    std::vector<double> expected;
  };
  const Row rows[] = {
      {"adam", {}, {.9, .806782, .722512}},
      {"adam", {{"eps", 1e-3}}, {.9001, .807, .722857}},
      {"adam", {{"rule", "tf1"}}, {.9, .806782, .722512}},
      {"adam", {{"eps", 1e-3}, {"rule", "tf1"}}, {.903065, .812412, .730408}},
      {"rmsprop", {{"alpha", 0.9}}, {.683772, .53633, .460867}},
      {"rmsprop", {{"rule", "tf1"}}, {.9, .848012, .820715}},
      {"adagrad", {}, {.9, .855279, .833457}},
      {"adagrad", {{"rule", "tf1"}}, {.904654, .861621, .840585}},
  };
  for (const Row& row : rows) {
    Json with = row.with.is_null() ? Json::object() : row.with;
    with["learning_rate"] = 0.1;
    CAPTURE(with.dump());
    check_values(descent(entry(row.use, with), {1, .5, .25}), row.expected);
  }
}

TEST_CASE("optimizers: RMSprop with momentum and centered, as both write them") {
  for (const bool tf1 : {false, true})
    for (const bool centered : {false, true}) {
      CAPTURE(tf1);
      CAPTURE(centered);
      const std::vector<double> gradients{1, -0.5, 0.25, 2};
      std::vector<double> expected;
      double w = 1, square = tf1 ? 1 : 0, mean = 0, buffer = 0;
      for (const double g : gradients) {
        square = 0.95 * square + 0.05 * g * g;
        mean = 0.95 * mean + 0.05 * g;
        const double about = square - (centered ? mean * mean : 0);
        if (tf1) {
          buffer = 0.9 * buffer + 0.1 * g / std::sqrt(about + 1e-2);
          w -= buffer;
        } else {
          buffer = 0.9 * buffer + g / (std::sqrt(about) + 1e-2);
          w -= 0.1 * buffer;
        }
        expected.push_back(w);
      }
      check_values(descent(entry("rmsprop", {{"learning_rate", 0.1},
                                             {"alpha", 0.95},
                                             {"momentum", 0.9},
                                             {"eps", 1e-2},
                                             {"centered", centered},
                                             {"rule", tf1 ? "tf1" : "torch"}}),
                           gradients),
                   expected);
    }
}

TEST_CASE("optimizers: only rules that TensorFlow 1 writes otherwise take one") {
  CHECK(failure(entry("sgd", {{"learning_rate", 1}, {"rule", "tf1"}})).find("rule") !=
        std::string::npos);
  CHECK(failure(entry("rmsprop", {{"rule", "tf2"}})).find("tf1") != std::string::npos);
}

TEST_CASE("accum-grad: the sum of niter gradients, applied in each niter-th step") {
  const Json accum = around("accum-grad", sgd(), {{"niter", 3}});
  check_values(descent(accum, {1, 2, 3, 4, 5, 6}), {1, 1, .4, .4, .4, -1.1});
  const Json mean = around("accum-grad", sgd(), {{"niter", 3}, {"average", true}});
  check_values(descent(mean, {1, 2, 3, 4, 5, 6}), {1, 1, .8, .8, .8, .3});
  check_values(descent(around("proxy", around("accum-grad", sgd(), {{"niter", 1}})), {1, 2}),
               {.9, .7});
  CHECK(failure(around("accum-grad", sgd(), {{"niter", 0}})).find("niter") != std::string::npos);
  CHECK(failure(around("accum-grad", accum, {{"niter", 2}})).find("one accum-grad") !=
        std::string::npos);
}

TEST_CASE("accum-grad: the inner optimizer counts its updates alone, and a resumed run goes on") {
  const std::vector<double> gradients{1, -2, 3, 0.5, 2, 2};
  const Json adam = entry("adam", {{"learning_rate", 0.1}});
  Descent expected({"adam", 0.1});
  std::vector<double> values;
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (i % 2 == 1) expected.apply(gradients[i - 1] + gradients[i]);
    values.push_back(expected.w);
  }
  Strategy strategy("simple");
  strategy.optimizer = around("accum-grad", adam, {{"niter", 2}});
  strategy.callbacks = {"model-saver"};
  REQUIRE(strategy.train(gradients, 1, 3, {}));  // ends between two updates
  std::vector<double> found = strategy.values("w");
  strategy.resume = true;
  strategy.epochs = 2;
  REQUIRE(strategy.train(gradients, 1, 3, {}));
  for (const double w : strategy.values("w")) found.push_back(w);
  check_values(found, values);
}

TEST_CASE("accum-grad: sums what the towers reduce") {
  Strategy strategy("sync-parameter-server");
  strategy.optimizer = around("accum-grad", sgd(), {{"niter", 2}});
  check_near(strategy.train({{1, 3}, {2, 4}, {5, 5}}, {}), {1, .5, .5});
}

TEST_CASE("variable-assignment, post-process: after each update, on variables that they name") {
  const Json to_half{{"operator", kClamp}, {"arguments", {"$variable", -0.5, 0.5}}};
  check_values(descent(around("variable-assignment", sgd(), to_half), {1, 1, -9}), {.5, .4, .5});
  const Json halve{{"operator", "aten::mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)"},
                   {"arguments", {"$variable", 0.5}}};
  check_values(descent(around("post-process", sgd(), halve), {1, 1}), {.45, .175});
  // Outside and inside of accum-grad: (1 - 0.1 * (1 + 1)) / 2 after the second step.
  const Json accum = around("accum-grad", sgd(), {{"niter", 2}});
  check_values(descent(around("post-process", accum, halve), {1, 1}), {1, .4});
  const Json inside = around("accum-grad", around("post-process", sgd(), halve), {{"niter", 2}});
  check_values(descent(inside, {1, 1}), {1, .4});
  Json elsewhere = halve;
  elsewhere["variables"] = "v.*";
  CHECK(failure(around("post-process", sgd(), elsewhere)).find("'v.*'") != std::string::npos);
  CHECK(failure(around("post-process", sgd(), {{"operator", kClamp}, {"arguments", {1}}}))
            .find("$variable") != std::string::npos);
}

TEST_CASE("apply-grad-processors: an optimizer with processors of its own") {
  const Json clip = entry("global-norm-clip", {{"global_norm", 1}});
  const Json clipped =
      around("apply-grad-processors", sgd(), {{"gradient_processors", Json::array({clip})}});
  check_values(descent(clipped, {3, 0.5}), {.9, .85});
  // What is clipped is summed.
  check_values(descent(around("apply-grad-processors", around("accum-grad", sgd(), {{"niter", 2}}),
                              {{"gradient_processors", Json::array({clip})}}),
                       {3, 5}),
               {1, .8});
  // Inside, the sum is clipped; with niter 1 it is the gradient itself.
  check_values(descent(around("accum-grad", clipped, {{"niter", 2}}), {3, 5}), {1, .9});
  check_values(descent(around("accum-grad", clipped, {{"niter", 1}}), {3, 0.5}), {.9, .85});
}

TEST_CASE("processors: clip, scale and map, whole names alone") {
  const auto with = [](const std::string& use, const Json& options) {
    return Json::array({entry(use, options)});
  };
  check_values(descent(sgd(), {3, 0.5}, with("global-norm-clip", {{"global_norm", 1}})), {.9, .85});
  const auto pair = [](const char* regex, double factor) { return Json::array({regex, factor}); };
  const auto factor = [&](const std::vector<Json>& multipliers) {
    return with("scale-gradient", {{"multipliers", multipliers}});
  };
  check_values(descent(sgd(), {1, 2}, factor({pair("w", 3), pair(".*", 7)})), {.7, .1});
  check_values(descent(sgd(), {1, 2}, factor({pair("w.+", 3)})), {.9, .7});
  CHECK(failure(sgd(), factor({pair("w", 0)})) != "");
  const Json decay{{"operator", kAdd}, {"arguments", {"$gradient", "$variable", 2}}};
  check_values(descent(sgd(), {1, 1}, with("map-gradient", decay)), {.7, .46});
  Json nothing = decay;
  nothing["regex"] = "v";
  check_values(descent(sgd(), {1, 1}, with("map-gradient", nothing)), {.9, .8});
  CHECK(failure(sgd(),
                with("map-gradient", {{"operator", "aten::none"}, {"arguments", {"$gradient"}}}))
            .find("aten::none") != std::string::npos);
  check_values(descent(sgd(), {1, 1}, with("filter-none-grad", Json::object())), {.9, .8});
}

TEST_CASE("processors: norm-clip limits each gradient by its own norm, and leaves 0 as it is") {
  const auto clipped = [](const Json& options) {
    return Json::array({entry("norm-clip", options)});
  };
  check_values(descent(sgd(), {0, 3, -5, 0.5}, clipped({{"norm", 1}})), {1, .9, 1, .95});
  check_values(descent(sgd(), {3}, clipped({{"norm", 1}, {"regex", "v"}})), {.7});
  CHECK(failure(sgd(), clipped({{"norm", 0}})).find("/norm") != std::string::npos);
  CHECK(failure(sgd(), clipped({{"norm", 1}, {"regex", "("}})).find("regular expression") !=
        std::string::npos);
}

TEST_CASE("processors: an expression that matches no variable is told") {
  const Json twice{{"operator", kAdd}, {"arguments", {"$gradient", "$gradient"}}};
  for (const auto& [use, options, done] :
       {std::tuple{"map-gradient", twice, "mapped"}, {"norm-clip", Json{{"norm", 1}}, "clipped"}})
    for (const char* regex : {"w.+", "w"}) {
      CAPTURE(std::string(use));
      Strategy strategy("simple");
      Json with = options;
      with["regex"] = regex;
      strategy.processors = Json::array({entry(use, with)});
      REQUIRE(strategy.train({1}, 1, 1, {"sgd", 0.1}));
      const bool told =
          strategy.project.logged(use +
                                  std::string(": no variable that gets a gradient has a name "
                                              "that is 'w.+' as a whole: nothing is ") +
                                  done);
      CHECK(told == (std::string(regex) == "w.+"));
    }
}

TEST_CASE("processors: they see the mean of the towers' gradients") {
  for (const char* use : {"sync-parameter-server", "sync-replicated"}) {
    CAPTURE(use);
    Strategy strategy(use);
    strategy.processors = Json::array({entry("global-norm-clip", {{"global_norm", 1}})});
    check_near(strategy.train({{-1, 5}}, {"sgd", 0.1}), {.9});  // clipped before, it would be 1
  }
}

TEST_CASE("processors: check-gradient names the variable whose gradient is not finite") {
  const Json spoil =
      entry("map-gradient", {{"operator", kDivide}, {"arguments", {"$gradient", 0}}});
  const Json check = entry("check-gradient");
  check_values(descent(sgd(), {1, 2}, Json::array({check})), {.9, .7});
  const std::string why = failure(sgd(), {spoil, check});
  CHECK(why.find("CheckGradient/w") != std::string::npos);
  // It looks at what reaches its place.
  CHECK(descent(sgd(), {1, 2}, {check, spoil}).size() == 2);
}

TEST_CASE("processors: summary-gradient and print-gradient tell what the gradients are") {
  for (const char* use : {"simple", "async"}) {
    CAPTURE(use);
    Strategy strategy(use);
    const size_t towers = std::string(use) == "simple" ? 1 : 2;
    strategy.processors = {entry("summary-gradient"), entry("print-gradient")};
    strategy.callbacks = {"moving-average-summary", "merge-all-summaries"};
    strategy.monitors = Json::array({Json::parse(strategy.project.listener())});
    const std::vector<double> gradients(4 * towers, -2.0);
    REQUIRE(strategy.train(gradients, towers, 4, {"sgd", 0.1}));
    const double shown = 2.0 / double(towers);  // async scales first
    const std::vector<double> rms = strategy.values("M.scalar w/rms");
    REQUIRE(rms.size() == 1);
    CHECK(rms[0] == doctest::Approx(shown));
    const Lines tags = strategy.project.trace("M.summary");
    CHECK(std::ranges::any_of(
        tags, [](const std::string& line) { return line.find("w-grad") != std::string::npos; }));
    CHECK(strategy.project.logged("gradient of w: shape (), mean -"));
  }
}
