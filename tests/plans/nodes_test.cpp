// nodes_test.cpp: op and call nodes: when they run, what they change, how they fail.
#include <doctest/doctest.h>

#include <functional>

#include "planned.hpp"

using namespace broch::test;

namespace {

// The message with which a plan of these nodes is refused before training.
std::string refusal(const std::vector<Json>& nodes, const Lines& then = {}) {
  Planned run({with(plan("main", nodes), "then", then)});
  CHECK(run.train() == Exit::training);
  CHECK_FALSE(run.project.logged("Start Epoch"));
  return run.failure();
}

bool holds(const std::string& text, const std::string& words) {
  INFO(text);
  const bool found = text.find(words) != std::string::npos;
  CHECK(found);
  return found;
}

}  // namespace

TEST_CASE("op: nodes change variables in the order of their inputs, each in its turn") {
  Planned run({plan("main", {op("count", kPlusOne), op("count", {{"times", 10}}, {0}, every(2, 1)),
                             op("rare", kPlusOne, {1})})});
  run.fetch({"count", "rare"});
  REQUIRE(run.train() == Exit::ok);
  CHECK(run.values("count") == Lines{"1", "20", "21", "220"});
  // It stands behind a node that has a turn.
  CHECK(run.values("rare") == Lines{"0", "1", "1", "2"});
}

TEST_CASE("op: behind apply it sees the variable of this step, behind tower the one before") {
  const Json define = plan("define", {node("tower")});  // so that "a" is there
  for (const bool behind_apply : {true, false}) {
    Planned run({define, plan("main", descent({node("apply", {2}),
                                               op("a", {{"times", 2}}, {behind_apply ? 3 : 1})}))},
                {"hooked main"});
    run.fetch({"a"});
    const Exit exit = run.train();
    INFO(run.failure());
    REQUIRE(exit == Exit::ok);
    CHECK(run.values("a") ==
          (behind_apply ? Lines{"-2", "-6", "-14", "-30"} : Lines{"-1", "-3", "-7", "-15"}));
  }
}

TEST_CASE("op: it draws anew in each run, and the same in a second training") {
  Lines first;
  for (int time = 0; time < 2; ++time) {
    Planned run({plan("main", {op("drawn", {{"draw", true}})})});
    run.fetch({"drawn"});
    REQUIRE(run.train() == Exit::ok);
    const Lines drawn = run.values("drawn");
    REQUIRE(drawn.size() == 4);
    for (size_t i = 1; i < 4; ++i) CHECK(drawn[i] != drawn[0]);
    if (time == 0) first = drawn;
    CHECK(drawn == first);
  }
}

TEST_CASE("op: the optimizer uses what a callback's plan wrote to the learning rate") {
  Planned run({plan("main", descent({node("apply", {2})}))});
  run.add_callback(
      {{"use", "test.plan-callback"},
       {"with",
        {{"plans", Json::array({plan("decay", {op("learning_rate", {{"times", 0.5}})})})},
         {"steps", Json::array({"plain decay"})}}}});
  run.fetch({"a", "learning_rate"});
  REQUIRE(run.train() == Exit::ok);
  CHECK(run.values("learning_rate") == Lines{"1", "0.5", "0.25", "0.125"});
  CHECK(run.values("a") == Lines{"-1", "-1.5", "-1.75", "-1.875"});
}

TEST_CASE("op: one that fails ends training with its own words") {
  Planned run({plan("main", {op("count", {{"plus", 1}, {"fail_at", 3}})})});
  run.set("runtime", {{"level", "bitwise"}});  // where the first step calls it once
  run.fetch({"count"});
  CHECK(run.train() == Exit::training);
  CHECK(holds(run.failure(), "the operation is worn out"));
  CHECK(run.values("count") == Lines{"1", "2"});
}

TEST_CASE("op: a handle that is no operation is refused when it is added") {
  CHECK(holds(refusal({node("operation")}), "define the operation in setup_graph"));
}

TEST_CASE("call: it runs in its turn, also at an offset") {
  Planned run({plan("main", {call("said first"), call("said third", {0}, every(3, 2)),
                             call("said even", {}, every(2, 0))})});
  REQUIRE(run.train() == Exit::ok);
  CHECK(run.values("said") == Lines{"first", "even", "first", "first", "third", "even", "first"});
}

TEST_CASE("call: a stop ends training quietly, and its step does not count") {
  for (const Lines& steps : {Lines{}, Lines{"hooked main"}}) {
    Planned run({plan("main", {call("stop", {}, every(4, 2))})}, steps);
    run.set("max_epoch", 2);
    run.add_callback(
        {{"use", "test.recorder"},
         {"with",
          {{"events", {"trigger_step", "after_train"}}, {"trace", run.project.trace_path()}}}});
    CHECK(run.train() == Exit::ok);
    CHECK(run.project.logged("the plan has had enough"));
    CHECK(run.values("trigger_step") == Lines{"1,0,1", "1,1,2"});
    CHECK(run.values("after_train") == Lines{"1,2,2"});
  }
}

TEST_CASE("call: a failure, garbage and an escaping exception are failures that name the node") {
  struct Case {
    const char* action;
    const char* words;
  };
  for (const Case& one : {Case{"fail", "the call is worn out"}, Case{"garbage", "returned 77"},
                          Case{"escape", "not meant to leave"}}) {
    CAPTURE(one.action);
    for (const Lines& steps : {Lines{}, Lines{"hooked main"}}) {
      Planned run({plan("main", {call(one.action, {}, {{"name", "weigh"}})})}, steps);
      CHECK(run.train() == Exit::training);
      CHECK(holds(run.failure(), one.words));
      CHECK(holds(run.failure(), "weigh"));
      CHECK(holds(run.failure(), "trainer"));
      CHECK(run.project.logged("Training failed at global_step=0"));
    }
  }
}

TEST_CASE("call: one without a function is refused when it is added") {
  CHECK(holds(refusal({node("call")}), "fn is NULL"));
}

TEST_CASE("node: options that are wrong are refused, naming node and option") {
  const auto bad_op = [](const Json& options) { return op("count", kPlusOne, {}, options); };
  const auto bad_call = [](const Json& options) { return call("said", {}, options); };
  struct Case {
    std::function<Json(const Json&)> bad;
    Json options;
    const char* words;
  };
  for (const Case& one :
       {Case{bad_op, {{"when", {{"offset", 1}}}}, "less than every, which is 1"},
        Case{bad_call, {{"when", {{"every", 2}, {"offset", 2}}}}, "less than every"},
        Case{bad_op, {{"when", {{"every", 3}, {"offsets", {0, 3}}}}}, "less than every"},
        Case{bad_call, {{"when", {{"every", 3}, {"offsets", {1, 1}}}}}, "each number once"}}) {
    CAPTURE(one.options);
    const std::string why = refusal({one.bad(one.options)});
    CHECK(holds(why, one.words));
    CHECK(holds(why, "0' (broch.plan."));
  }
}

TEST_CASE("node: a tower index beyond 65535 is refused") {
  CHECK(holds(refusal({node("input", {}, {{"towers", Json::array({65536})}}), node("tower", {0})}),
              "towers"));
}

TEST_CASE("node: several offsets make a node take part in several of every k runs") {
  const Json when = {{"when", {{"every", 4}, {"offsets", {3, 0}}}}};
  Planned run({plan("main", {call("said it", {}, when)})});
  run.set("steps_per_epoch", 9);
  CHECK(run.train() == Exit::ok);
  CHECK(run.values("said").size() == 5);  // runs 0, 3, 4, 7 and 8
}

TEST_CASE("node: operation and call are not added as the other kinds are") {
  CHECK(holds(refusal({with(node("operation"), "direct", true)}), "add_operation"));
  CHECK(holds(refusal({with(node("call"), "direct", true)}), "add_call"));
}

TEST_CASE("node: nothing can depend on itself, on a later node or on one of another plan") {
  for (const int place : {2, 3})
    CHECK(holds(refusal({call("said"), call("said"), call("said", {place})}),
                "not a node of this plan"));
  Planned foreign(
      {plan("other", {call("said")}), plan("main", {with(call("said"), "foreign", "other")})});
  CHECK(foreign.train() == Exit::training);
  CHECK(holds(foreign.failure(), "not a node of this plan"));
}

TEST_CASE("node: gradients cannot come from a call, and the message names the node") {
  const std::string why =
      refusal({call("said"), node("gradients", {0}, {{"name", "slopes"}}), node("apply", {1})});
  CHECK(holds(why, "node 'slopes'"));
  CHECK(holds(why, "broch.plan.call/1"));
  CHECK(holds(why, "one tower"));
}

TEST_CASE("node: two of one name are refused") {
  CHECK(holds(refusal({call("said", {}, {{"name", "x"}}), call("said", {}, {{"name", "x"}})}),
              "names of their own"));
}

TEST_CASE("plan: after seal nothing is added or sealed again") {
  for (const char* late : {"add", "seal"})
    CHECK(holds(refusal({call("said")}, {late}), "sealed already"));
}

TEST_CASE("plan: nothing is added once training runs") {
  for (const char* late : {"add", "seal"}) {
    Planned run({plan("main", {call(late)})});
    CHECK(run.train() == Exit::training);
    CHECK(holds(run.failure(), "belongs into setup_graph"));
  }
}

TEST_CASE("plan: two of one name cannot both count whose turn it is") {
  Planned run({plan("main", {call("said")}), plan("twin", {call("said", {}, every(2, 0))}),
               plan("twin", {call("said", {}, every(2, 0))})});
  CHECK(run.train() == Exit::training);
  CHECK(holds(run.failure(), "plan 'twin'"));
  CHECK(holds(run.failure(), "give the plan a name of its own"));
}

TEST_CASE("plan: a resumed run goes on with the turns of its nodes") {
  const auto train = [](bool interrupted) {
    Planned run({plan("main", {op("count", kPlusOne, {}, every(3, 1))})});
    run.set("steps_per_epoch", 5);
    run.set("max_epoch", interrupted ? 1 : 2);
    run.fetch({"count"});
    run.add_callback("model-saver");
    CHECK(run.train() == Exit::ok);
    Lines seen = run.values("count");
    if (!interrupted) return seen;
    run.set("max_epoch", 2);
    broch::session::RunOptions resume;
    resume.resume = true;
    CHECK(run.train(resume) == Exit::ok);
    for (const std::string& value : run.values("count")) seen.push_back(value);
    return seen;
  };
  const Lines whole = train(false);
  CHECK(whole == Lines{"0", "1", "1", "1", "2", "2", "2", "3", "3", "3"});
  CHECK(train(true) == whole);
}

TEST_CASE("copy: with a check it fails where weights of replicas differ, naming the first") {
  const auto made = [](bool check) {
    const auto tower = [](int index, const Json& vs_name) {
      return node("tower", {0},
                  {{"name", "tower" + std::to_string(index)},
                   {"index", index},
                   {"total", 2},
                   {"vs_name", vs_name}});
    };
    // Only the first replica learns.
    return plan("main", {node("input", {}, {{"towers", {0, 1}}}), tower(0, nullptr),
                         tower(1, "tower1"), node("gradients", {1}), node("apply", {3}),
                         node("copy", {4}, {{"to", {"tower1"}}, {"check", check}})});
  };
  Planned blind({made(false)});
  blind.fetch({"a", "tower1/a"});
  REQUIRE(blind.train() == Exit::ok);
  CHECK(blind.values("a") == blind.values("tower1/a"));
  Planned sharp({made(true)});
  CHECK(sharp.train() == Exit::numbers);
  CHECK(sharp.failure().find("variable 'tower1/a' differs from 'a'") != std::string::npos);
}
