// samples_test.cpp: the length of an epoch in samples.
#include <doctest/doctest.h>

#include "planned.hpp"

using namespace broch::test;

namespace {

const std::vector<Json> kTwoTowers = {
    node("input", {}, {{"towers", {0, 1}}}), node("tower", {0}, {{"name", "tower0"}, {"total", 2}}),
    node("tower", {0}, {{"name", "tower1"}, {"index", 1}, {"total", 2}, {"device", "cpu:1"}})};

// A model of that shape of x, whose points have four elements.
struct Four : Planned {
  Four(const std::vector<int>& shape, int samples, const std::vector<Json>& nodes)
      : Planned({plan("main", nodes)}) {
    set("model", {{"use", "test.pair"}, {"with", {{"shape", shape}}}});
    const std::vector<std::vector<int>> rows{{1, 1, 1, 1}};
    set("dataflow", {{"use", "test.rows"}, {"with", {{"rows", rows}}}});
    set("steps_per_epoch", {{"samples", samples}});
    fetch({"a"});
  }
};

}  // namespace

TEST_CASE("samples: an epoch has as many steps as whole batches, at least one") {
  struct Case {
    int samples;
    size_t steps, two_towers;
  };
  for (const Case& one : {Case{40, 10, 5}, Case{43, 10, 5}, Case{3, 1, 1}}) {
    CAPTURE(one.samples);
    Four run({4}, one.samples, descent({node("apply", {2})}));
    REQUIRE(run.train() == Exit::ok);
    CHECK(run.values("a").size() == one.steps);
    CHECK(run.project.logged(std::to_string(one.steps * 4) + " samples"));
    Four both({4}, one.samples, kTwoTowers);
    REQUIRE(both.train() == Exit::ok);
    CHECK(both.values("a").size() == one.two_towers);
    CHECK(both.project.logged(std::to_string(one.two_towers * 2) + " data points per epoch, " +
                              std::to_string(one.two_towers * 8) + " samples"));
  }
}

TEST_CASE("samples: a batch that the model does not fix is refused with 3 and what to do") {
  for (const std::vector<int>& shape : {std::vector<int>{-1}, {}, {0}}) {
    CAPTURE(shape.size());
    Four run(shape, 40, {node("input"), node("tower", {0})});
    CHECK(run.train() == Exit::manifest);
    INFO(run.failure());
    CHECK(run.failed_with("/steps_per_epoch"));
    CHECK(run.failed_with("a fixed first dimension"));
    CHECK(run.failed_with("give a number of steps"));
    CHECK_FALSE(run.project.logged("Start Epoch"));
  }
}

TEST_CASE("samples: a run without a model is refused, too") {
  Planned run({plan("main", {call("said")})});
  run.set("model", nullptr);
  run.set("dataflow", nullptr);
  run.set("steps_per_epoch", {{"samples", 8}});
  CHECK(run.train() == Exit::manifest);
  CHECK(run.failed_with("/steps_per_epoch"));
}

TEST_CASE("samples: fewer than one, more keys, or no number are mistakes in the manifest") {
  for (const Json& wrong :
       {Json{{"samples", 0}}, Json{{"samples", -5}}, Json{{"samples", 2.5}}, Json{{"samples", "8"}},
        Json{{"samples", 8}, {"steps", 2}}, Json::object()}) {
    CAPTURE(wrong);
    Planned run({plan("main", {call("said")})});
    run.set("steps_per_epoch", wrong);
    CHECK(run.train() == Exit::manifest);
    CHECK(run.failed_with("/steps_per_epoch"));
  }
}
