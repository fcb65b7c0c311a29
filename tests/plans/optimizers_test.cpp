// optimizers_test.cpp: several apply nodes: which variables each updates, by which numbers.
#include <doctest/doctest.h>

#include "planned.hpp"

using namespace broch::test;

namespace {

Json sgd(double rate) { return {{"use", "sgd"}, {"with", {{"learning_rate", rate}}}}; }
// The slopes (1, 3) clipped to the length sqrt(10) / parts.
Json clip_to(int from, double parts) {
  const Json clip{{"use", "global-norm-clip"},
                  {"with", {{"global_norm", 3.1622776601683795 / parts}}}};
  return node("process", {from}, {{"processors", Json::array({clip})}});
}
// Clips the slopes (1, 3) to a tenth of the root of 10, so that both become a tenth. Their sums of
// two runs become a twentieth.
const Json kClip{{"use", "global-norm-clip"}, {"with", {{"global_norm", 0.31622776601683794}}}};
void check_steps(const Lines& found, double each) {
  REQUIRE(found.size() == 8);
  for (size_t i = 0; i < found.size(); ++i)
    CHECK(std::stod(found[i]) == doctest::Approx(-each * double(i + 1)));
}
Json apply(int from, const std::string& name, const std::string& variables, double rate) {
  return node("apply", {from},
              {{"name", name}, {"variables", variables}, {"optimizer", sgd(rate)}});
}

}  // namespace

TEST_CASE("apply: two nodes with rules of their own have hyper-parameters named after them") {
  Planned run({plan("main", descent({apply(2, "slow", "a", 0.5), apply(2, "fast", "b", 2)}))});
  run.fetch({"a", "b", "slow/learning_rate", "fast/learning_rate"});
  REQUIRE(run.train() == Exit::ok);
  CHECK(run.values("a") == Lines{"-0.5", "-1", "-1.5", "-2"});
  CHECK(run.values("b") == Lines{"-6", "-12", "-18", "-24"});
  CHECK(run.values("slow/learning_rate") == Lines{"0.5", "0.5", "0.5", "0.5"});
  CHECK(run.values("fast/learning_rate") == Lines{"2", "2", "2", "2"});
}

TEST_CASE("apply: a schedule sets the number of one node and leaves the other's") {
  Planned run({plan("main", descent({apply(2, "slow", "a", 0.5), apply(2, "fast", "b", 2)}))});
  run.set("max_epoch", 2);
  run.set("steps_per_epoch", 1);
  run.add_callback({{"use", "scheduled-hyper-param-setter"},
                    {"with", {{"param", "fast/learning_rate"}, {"schedule", {{1, 0}}}}}});
  run.fetch({"a", "b"});
  const Exit exit = run.train();
  INFO(run.failure());
  REQUIRE(exit == Exit::ok);
  CHECK(run.values("a") == Lines{"-0.5", "-1"});
  CHECK(run.values("b") == Lines{"-6", "-6"});
}

TEST_CASE("apply: one rule in two nodes is one optimizer with plain names") {
  Planned run({plan("main", descent({apply(2, "one", "a", 0.5), apply(2, "two", "b", 0.5)}))});
  run.fetch({"a", "b", "learning_rate"});
  REQUIRE(run.train() == Exit::ok);
  CHECK(run.values("a") == Lines{"-0.5", "-1", "-1.5", "-2"});
  CHECK(run.values("b") == Lines{"-1.5", "-3", "-4.5", "-6"});
}

TEST_CASE("apply: nodes that take turns leave each other's variables alone") {
  Json slow = node("apply", {2},
                   {{"name", "slow"},
                    {"variables", "a"},
                    {"optimizer", sgd(0.5)},
                    {"when", {{"every", 2}, {"offset", 1}}}});
  Planned run({plan("main", descent({slow, apply(2, "fast", "b", 2)}))});
  run.fetch({"a", "b"});
  REQUIRE(run.train() == Exit::ok);
  CHECK(run.values("a") == Lines{"0", "-0.5", "-0.5", "-1"});
  CHECK(run.values("b") == Lines{"-6", "-12", "-18", "-24"});
}

TEST_CASE("process: a clip sees all gradients, whatever part of them is applied") {
  Planned run({plan("main", descent({node("process", {2}, {{"processors", Json::array({kClip})}}),
                                     apply(3, "part", "b", 1)}))});
  run.fetch({"a", "b"});
  REQUIRE(run.train() == Exit::ok);
  CHECK(run.values("a") == Lines{"0", "0", "0", "0"});
  REQUIRE(run.values("b").size() == 4);
  for (size_t i = 0; i < 4; ++i)
    CHECK(std::stod(run.values("b")[i]) == doctest::Approx(-0.3 * double(i + 1)));
}

TEST_CASE("process: behind gradients of some variables it sees only theirs") {
  const Json clip{{"use", "global-norm-clip"}, {"with", {{"global_norm", 1}}}};
  Planned run({plan(
      "main", {node("input"), node("tower", {0}), node("gradients", {1}, {{"variables", "b"}}),
               node("process", {2}, {{"processors", Json::array({clip})}}), node("apply", {3})})});
  run.fetch({"a", "b"});
  REQUIRE(run.train() == Exit::ok);
  CHECK(run.values("a") == Lines{"0", "0", "0", "0"});
  for (size_t i = 0; i < 4; ++i)
    CHECK(std::stod(run.values("b").at(i)) == doctest::Approx(-1.0 * double(i + 1)));
}

TEST_CASE("process: nodes that take one list, or each other's, keep to their own gradients") {
  // Two chains take the slopes, a third one what the first makes of them.
  Planned run({plan("main", descent({clip_to(2, 10), clip_to(2, 4), clip_to(3, 100),
                                     apply(5, "last", "a", 1), apply(4, "second", "b", 1)}))});
  run.set("steps_per_epoch", 8);
  run.fetch({"a", "b"});
  REQUIRE(run.train() == Exit::ok);
  check_steps(run.values("a"), 0.01);
  check_steps(run.values("b"), 0.75);
}

TEST_CASE("process: an update of the raw gradients beside a clipped one gets them unclipped") {
  Planned run({plan(
      "main", descent({clip_to(2, 10), apply(3, "clipped", "a", 1), apply(2, "raw", "b", 1)}))});
  run.set("steps_per_epoch", 8);
  run.fetch({"a", "b"});
  REQUIRE(run.train() == Exit::ok);
  check_steps(run.values("a"), 0.1);
  check_steps(run.values("b"), 3);
}

namespace {

// Sums of two runs, processed.
Json of_sums(const std::vector<Json>& processors) {
  Json processed;
  processed["use"] = "apply-grad-processors";
  processed["with"]["gradient_processors"] = processors;
  processed["with"]["optimizer"] = sgd(1);
  return {{"use", "accum-grad"}, {"with", {{"niter", 2}, {"optimizer", processed}}}};
}
Json apply_sums(const std::string& name, const std::vector<Json>& processors) {
  return node("apply", {2}, {{"name", name}, {"optimizer", of_sums(processors)}});
}
const Json kLeaveB{{"use", "scale-gradient"},
                   {"with", {{"multipliers", Json::array({Json::array({"b", 0})})}}}};

void check_sums(const std::vector<Json>& processors, double a, double b) {
  CAPTURE(Json(processors).dump());
  for (const char* const execution : {"eager", "recorded"}) {
    CAPTURE(execution);
    Planned run({plan("main", descent({apply_sums("sums", processors)}))});
    run.set("runtime", {{"execution", execution}});
    run.set("steps_per_epoch", 7);
    run.fetch({"a", "b"});
    const Exit exit = run.train();
    INFO(run.failure());
    REQUIRE(exit == Exit::ok);
    for (const auto& [name, step] : {std::pair{"a", a}, {"b", b}}) {
      const Lines found = run.values(name);
      REQUIRE(found.size() == 7);
      for (size_t i = 0; i < found.size(); ++i)
        CHECK(std::stod(found[i]) == doctest::Approx(-step * double((i + 1) / 2)));
    }
  }
}

}  // namespace

TEST_CASE("apply: inside of accum-grad a clip sees all sums, until others are left out") {
  check_sums({kClip}, 0.1, 0.3);
  check_sums({kClip, kLeaveB}, 0.1, 0);
  check_sums({kLeaveB, kClip}, 0.31622776601683794, 0);
}

TEST_CASE("apply: the sums of one node leave alone the gradients that another node clips") {
  Json clip = kClip, rest;
  clip["with"]["global_norm"] = 3.1622776601683795 / 2;
  Json leave_a = kLeaveB;
  leave_a["with"]["multipliers"][0][0] = "a";
  rest["use"] = "apply-grad-processors";
  rest["with"]["gradient_processors"] = std::vector<Json>{clip, leave_a};
  rest["with"]["optimizer"] = sgd(1);
  const Json sums =
      node("apply", {2}, {{"name", "sums"}, {"variables", "a"}, {"optimizer", of_sums({kClip})}});
  Planned run(
      {plan("main", descent({sums, node("apply", {2}, {{"name", "rest"}, {"optimizer", rest}})}))});
  run.set("steps_per_epoch", 8);
  run.fetch({"b"});
  const Exit exit = run.train();
  INFO(run.failure());
  REQUIRE(exit == Exit::ok);
  check_steps(run.values("b"), 1.5);
}

TEST_CASE("apply: two nodes of one optimizer cannot share a part of the sums that a clip sees") {
  Json part =
      node("apply", {2}, {{"name", "part"}, {"variables", "a"}, {"optimizer", of_sums({kClip})}});
  Planned run({plan("main", descent({apply_sums("all", {kClip}), part}))});
  CHECK(run.train() == Exit::training);
  INFO(run.failure());
  CHECK(run.failed_with("node 'part'"));
  CHECK(run.failed_with("some of the variables of node 'all'"));
}

TEST_CASE("apply: an expression for no variable, or none at all, is refused with the node") {
  for (const char* pattern : {"c", "["}) {
    Planned run({plan("main", descent({apply(2, "part", pattern, 1)}))});
    CHECK(run.train() == Exit::training);
    INFO(run.failure());
    CHECK(run.failed_with("node 'part'"));
    CHECK(run.failed_with(std::string("'") + pattern + "'"));
  }
}

TEST_CASE("apply: nodes of one name in two plans, each with a rule, do not share its numbers") {
  const std::vector<Json> one =
      descent({node("apply", {2}, {{"variables", "a"}, {"optimizer", sgd(0.5)}})});
  const std::vector<Json> two =
      descent({node("apply", {2}, {{"variables", "b"}, {"optimizer", sgd(2)}})});
  Planned run({plan("one", one), plan("two", two)}, {"hooked one", "plain two"});
  run.fetch({"a"});
  CHECK(run.train() == Exit::training);
  INFO(run.failure());
  CHECK(run.failed_with("node 'apply3'"));
  CHECK(run.failed_with("plan 'two'"));
  CHECK(run.failed_with("\"name\""));
}

namespace {

// A callback whose plan updates with this optimizer after each step.
Json updating(const Json& optimizer) {
  const Json own = node("apply", {2}, {{"name", "own"}, {"optimizer", optimizer}});
  Json options;
  options["plans"] = std::vector<Json>{plan("own", descent({own}))};
  options["steps"] = {"plain own"};
  return {{"use", "test.plan-callback"}, {"with", options}};
}

}  // namespace

TEST_CASE("apply: a callback's rule cannot divide what the trainer's plan updates together") {
  Json half, divided;
  half["variables"] = "a";
  half["factors"]["learning_rate"] = 0.5;
  divided["use"] = "variable-groups";
  divided["with"]["groups"] = std::vector<Json>{half};
  divided["with"]["optimizer"] = sgd(2);
  Planned run({plan("main", descent({node("apply", {2})}))});
  run.add_callback(updating(divided));
  CHECK(run.train() == Exit::training);
  INFO(run.failure());
  CHECK(run.failed_with("node 'own'"));
  CHECK(run.failed_with("different settings for the variables that an earlier plan updates"));
}

TEST_CASE("apply: a callback may sum up gradients of a table that the trainer's plan descends") {
  Planned run({plan("main", descent({node("apply", {2})}))});
  run.set("model", {{"use", "test.slope"}, {"with", {{"size", (1 << 18) + 1}}}});  // over 1 MiB
  run.add_callback(
      updating({{"use", "accum-grad"}, {"with", {{"niter", 2}, {"optimizer", sgd(0.5)}}}}));
  const Exit exit = run.train();
  INFO(run.failure());
  CHECK(exit == Exit::ok);
}
