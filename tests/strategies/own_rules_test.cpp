// own_rules_test.cpp: update rules and gradient processors of plugins, beside the host's own.
#include <doctest/doctest.h>

#include <algorithm>

#include "rules.hpp"

using namespace broch::test;

namespace {

const std::vector<double> kGradients{2, -1, 4, 0.5, -3, 1};

Json momentum(const char* use) { return entry(use, {{"learning_rate", 0.1}, {"momentum", 0.5}}); }

struct Own : Strategy {
  Own(const std::string& use, const Json& entry) : Strategy(use) {
    optimizer = entry;
    plugins = {SIGNS, OWN_RULES};
  }
};

std::vector<double> descent(Own&& own, size_t towers = 1) {
  const bool trained = own.train(kGradients, towers, kGradients.size() / towers, {});
  INFO(own.project.failure);
  REQUIRE(trained);
  return own.values("w");
}

std::string failure(Own&& own) {
  CHECK_FALSE(own.train({1, 1}, 1, 2, {}));
  return own.project.failure;
}

}  // namespace

TEST_CASE("own rules: momentum in C++ goes where the host's goes, under every strategy") {
  for (const char* const use : {"simple", "sync-parameter-server", "sync-replicated", "async"})
    for (const char* const execution : {"eager", "recorded", "audit"}) {
      CAPTURE(use);
      CAPTURE(execution);
      const size_t towers = use == std::string("simple") ? 1 : 2;
      Own own(use, momentum("test.heavy-ball"));
      own.execution = execution;
      Own host(use, momentum("momentum"));
      check_near(descent(std::move(own), towers), descent(std::move(host), towers));
    }
}

TEST_CASE("own rules: a variable has the same name in every replica") {
  Json climbing = momentum("test.heavy-ball");
  climbing["with"]["climbs"] = "w";
  Own own("sync-replicated", climbing);
  own.fetches = {"w", "tower1/w"};
  REQUIRE(own.train(kGradients, 2, 3, {}));
  check_near(own.values("w"), {1.05, 1.3, 1.325});  // velocity: 0.5, 2.5, 0.25
  CHECK(own.values("tower1/w") == own.values("w"));
}

TEST_CASE("own rules: a rule in C knows the number of its update") {
  check_near(descent(Own("simple", entry("test.signs", {{"learning_rate", 0.5}, {"most", 4}}))),
             {.5, 1, .5, 0, 0, 0});
}

TEST_CASE("own rules: their numbers are hyper-parameters, which a schedule sets") {
  Own own("simple", entry("test.signs", {{"learning_rate", 0.5}}));
  own.epochs = 2;
  own.callbacks = {entry("scheduled-hyper-param-setter",
                         {{"param", "learning_rate"}, {"schedule", Json::array({{1, 0.25}})}})};
  REQUIRE(own.train(kGradients, 1, 3, {}));
  check_near(own.values("w"), {.5, 1, .5, .25, .5, .25});
}

TEST_CASE("own rules: what stands around a rule of the host stands around a plugin's") {
  const auto around = [](const char* use, const char* rule, Json with) {
    with["optimizer"] = momentum(rule);
    return entry(use, with);
  };
  const Json clip = Json::array({entry("global-norm-clip", {{"global_norm", 1}})});
  const std::pair<const char*, Json> wrappers[] = {
      {"accum-grad", {{"niter", 2}, {"average", true}}},
      {"apply-grad-processors", {{"gradient_processors", clip}}},
      {"variable-assignment",
       {{"operator", "aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor"},
        {"arguments", {"$variable", 0.9, 1.1}}}}};
  for (const auto& [use, with] : wrappers) {
    CAPTURE(use);
    check_near(descent(Own("simple", around(use, "test.heavy-ball", with))),
               descent(Own("simple", around(use, "momentum", with))));
  }
}

// The second one is saved with one of two gradients summed up.
TEST_CASE("own rules: what they remember is saved, and a resumed run has the same bits") {
  const Json alone = momentum("test.heavy-ball");
  const Json summed = entry("accum-grad", {{"niter", 2}, {"optimizer", alone}});
  const std::pair<const char*, Json> runs[] = {
      {"eager", alone}, {"recorded", alone}, {"eager", summed}, {"recorded", summed}};
  for (const auto& [execution, rule] : runs) {
    CAPTURE(execution);
    CAPTURE(rule.dump());
    Own whole("simple", rule);
    whole.execution = execution;
    whole.processors = {entry("test.largest")};
    whole.fetches = {"w", "w/velocity", "largest/w"};
    whole.epochs = 2;
    REQUIRE(whole.train(kGradients, 1, 3, {}));
    Own parts("simple", rule);
    parts.execution = execution;
    parts.processors = whole.processors;
    parts.fetches = whole.fetches;
    parts.callbacks = {"model-saver"};
    REQUIRE(parts.train(kGradients, 1, 3, {}));
    parts.resume = true;
    parts.epochs = 2;
    REQUIRE(parts.train(kGradients, 1, 3, {}));
    for (const std::string& name : whole.fetches) {
      const std::vector<double> all = whole.values(name);
      REQUIRE(all.size() == 6);
      CHECK(parts.values(name) == std::vector<double>(all.begin() + 3, all.end()));
    }
  }
}

TEST_CASE("own processors: one that remembers, by itself and in a chain") {
  for (const char* const execution : {"eager", "recorded", "audit"}) {
    CAPTURE(execution);
    Own own("simple", sgd());
    own.execution = execution;
    own.processors = {entry("test.largest")};
    check_near(descent(std::move(own)), {.9, .95, .85, .8375, .9125, .8875});
    Own chain("simple", sgd());
    chain.execution = execution;
    chain.processors = {
        entry("test.largest"),
        entry("scale-gradient", {{"multipliers", Json::array({Json::array({"w", 2})})}})};
    check_near(descent(std::move(chain)), {.8, .9, .7, .675, .825, .775});
  }
}

TEST_CASE("own processors: one that leaves all variables alone leaves nothing to update") {
  Own own("simple", sgd());
  own.processors = {entry("test.largest", {{"leave", "w"}})};
  CHECK(failure(std::move(own)).find("processors that leave no gradient") != std::string::npos);
  const Json inside{
      {"optimizer", sgd()},
      {"gradient_processors", Json::array({entry("test.largest", {{"leave", "w"}})})}};
  CHECK(failure(Own("simple", entry("apply-grad-processors", inside)))
            .find("processors that leave no gradient") != std::string::npos);
}

TEST_CASE("own rules: an operator that fails in C is no choice to change nothing") {
  const std::string why =
      failure(Own("simple", entry("test.signs", {{"learning_rate", 0.5}, {"fails", true}})));
  CHECK(why.find("'signs' (test.signs) failed in update") != std::string::npos);
  CHECK(why.find("aten::mm") != std::string::npos);
}

TEST_CASE("own rules: names that the host uses are refused for slots") {
  Json taken = momentum("test.heavy-ball");
  taken["with"]["slot"] = "step";
  CHECK(failure(Own("simple", taken)).find("'step'") != std::string::npos);
}

TEST_CASE("own rules: a slot needs elements") {
  Json nothing = momentum("test.heavy-ball");
  nothing["with"]["slot"] = "nothing";
  const std::string why = failure(Own("simple", nothing));
  CHECK(why.find("heavy-ball") != std::string::npos);
  CHECK(why.find("slot_shape gave a shape of rank 1") != std::string::npos);
}

TEST_CASE("own rules: whose they are is written down") {
  Own own("simple", momentum("test.heavy-ball"));
  REQUIRE(own.train(kGradients, 1, 3, {}));
  const Lines files = own.project.records("plugins.json");
  CHECK(std::count_if(files.begin(), files.end(), [](const std::string& one) {
          return one.find("test.heavy-ball") != std::string::npos;
        }) == 1);
}

TEST_CASE("own rules: mistakes are named") {
  Json wrong = momentum("test.heavy-ball");
  wrong["with"]["wrong"] = true;
  const std::string shape = failure(Own("simple", wrong));
  CHECK(shape.find("update of variable 'w'") != std::string::npos);
  CHECK(shape.find("float32 ()") != std::string::npos);
  CHECK(shape.find("heavy-ball") != std::string::npos);
  CHECK(failure(Own("simple", entry("test.heavy-bal"))).find("test.heavy-ball") !=
        std::string::npos);
  CHECK(failure(Own("simple", entry("test.largest"))).find("role") != std::string::npos);
  CHECK(failure(Own("simple", entry("test.heavy-ball"))).find("learning_rate") !=
        std::string::npos);
}
