// nesting_test.cpp: plans that calls of plans run.
#include <doctest/doctest.h>

#include "planned.hpp"

using namespace broch::test;

namespace {

const std::vector<std::vector<int>> kTens{{1}, {10}, {100}, {1000}};

}  // namespace

TEST_CASE("nesting: a call runs another plan in the middle of a step") {
  Planned run({plan("main", descent({node("apply", {2}), op("count", kPlusOne, {3}),
                                     call("plain inner", {3}), op("count", {{"times", 10}}, {3})})),
               plan("inner", {op("count", kPlusOne), call("said inner")})});
  run.fetch({"count", "a"});
  REQUIRE(run.train() == Exit::ok);
  CHECK(run.values("count") == Lines{"20", "220", "2220", "22220"});
  CHECK(run.values("a") == Lines{"-1", "-2", "-3", "-4"});
  CHECK(run.values("said").size() == 4);
}

TEST_CASE("nesting: a plan over the same tower, run inside, takes a data point and descends, too") {
  const std::vector<Json> apply = descent({node("apply", {2})});
  Planned run({plan("main", descent({node("apply", {2}), call("plain inner", {3})})),
               plan("inner", apply)});
  run.set("dataflow", {{"use", "test.rows"}, {"with", {{"rows", kTens}}}});
  run.set("steps_per_epoch", 2);
  run.fetch({"a", "cost"});
  REQUIRE(run.train() == Exit::ok);
  CHECK(run.values("a") == Lines{"-11", "-1111"});
  // Of the step's own point and of the variables before it: (a + 3 b) * x.
  CHECK(run.values("cost") == Lines{"0", "-11000"});
}

TEST_CASE("nesting: a run of a plan inside its own run is a failure that names it") {
  for (const char* how : {"plain main", "try main"})
    for (const Lines& steps : {Lines{}, Lines{"hooked main"}}) {
      Planned run({plan("main", {call(how)})}, steps);
      CHECK(run.train() == Exit::training);
      INFO(run.failure());
      CHECK(run.failed_with("plan 'main'"));
      CHECK(run.failed_with("a run inside its own run"));
    }
}

TEST_CASE("nesting: a plan can run again in the same step when it has ended") {
  Planned run({plan("main", {op("count", kPlusOne)})}, {"plain main", "hooked main", "plain main"});
  run.fetch({"count"});
  REQUIRE(run.train() == Exit::ok);
  CHECK(run.values("count") == Lines{"2", "5", "8", "11"});
}

TEST_CASE("nesting: a hooked run inside a hooked run is a failure") {
  Planned run({plan("main", {call("hooked inner")}), plan("inner", {call("said inner")})});
  CHECK(run.train() == Exit::training);
  INFO(run.failure());
  CHECK(run.failed_with("a hooked run inside a hooked run"));
  CHECK(run.values("said").empty());
}

TEST_CASE("nesting: a hooked run inside a plain one is a step") {
  Planned run({plan("main", {call("hooked inner")}), plan("inner", {op("count", kPlusOne)})},
              {"plain main"});
  run.fetch({"count", "global_step"});
  REQUIRE(run.train() == Exit::ok);
  CHECK(run.values("count") == Lines{"1", "2", "3", "4"});
}

TEST_CASE("nesting: what ends the inner run ends training, also when the call forgets it") {
  for (const char* how : {"plain inner", "try inner"})
    for (const Lines& steps : {Lines{}, Lines{"hooked main"}}) {
      CAPTURE(how);
      CAPTURE(steps);
      Planned fails({plan("main", {call(how)}), plan("inner", {call("fail")})}, steps);
      CHECK(fails.train() == Exit::training);
      CHECK(fails.failed_with("the call is worn out"));
      Planned stops({plan("main", {call(how)}), plan("inner", {call("stop")})}, steps);
      CHECK(stops.train() == Exit::ok);
      CHECK(stops.project.logged("Training was stopped by exception"));
      CHECK_FALSE(stops.project.logged("Training has finished"));
    }
}
