#include <doctest/doctest.h>

#include "rig.hpp"

using namespace broch;

namespace {

// Builds a plan in the trainer's setup_graph and gives the message with which it failed.
std::string refused(const std::function<broch_status(test::Trainer&)>& build) {
  test::Rig rig;
  rig.trainer.setup = [&] {
    rig.trainer.plans()->create(rig.trainer.host, "main", &rig.trainer.plan);
    return build(rig.trainer);
  };
  try {
    rig.prepare();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

broch_status seal(test::Trainer& trainer) {
  return trainer.plans()->seal(trainer.host, trainer.plan);
}

bool contains(const std::string& text, const std::string& words) {
  const bool there = text.find(words) != std::string::npos;
  if (!there) MESSAGE(text);
  return there;
}

}  // namespace

TEST_CASE("plan: an unknown kind is UNIMPLEMENTED") {
  broch_status status = 0;
  refused([&](test::Trainer& trainer) {
    trainer.add("broch.plan.teleport/1", {});
    status = trainer.status;
    return seal(trainer);
  });
  CHECK(status == BROCH_E_UNIMPLEMENTED);
}

TEST_CASE("plan: what is NULL is named") {
  const auto adds = [](const char* kind, const broch_node* inputs, uint32_t n) {
    return refused([=](test::Trainer& trainer) {
      return trainer.plans()->add(trainer.host, trainer.plan, kind, inputs, n, nullptr, nullptr);
    });
  };
  CHECK(contains(adds(nullptr, nullptr, 0), "plan/1 add: kind is NULL"));
  CHECK(contains(adds("broch.plan.apply/1", nullptr, 1), "plan/1 add: inputs is NULL"));
  CHECK(contains(refused([](test::Trainer& trainer) {
                   return trainer.plans()->create(trainer.host, nullptr, &trainer.plan);
                 }),
                 "plan/1 create: name is NULL"));
}

TEST_CASE("plan: options that are wrong name the node and the option") {
  struct Case {
    const char* kind;
    const char* options;
    const char* words;
  };
  for (const Case& one :
       {Case{"broch.plan.input/1", R"({"towers": [0, 0]})", "towers"},
        Case{"broch.plan.input/1", R"({"towers": []})", "at least one index"},
        Case{"broch.plan.tower/1", R"({"index": 2, "total": 2})", "less than total"},
        Case{"broch.plan.tower/1", R"({"device": "gpu:0"})", "gpu:0"},
        Case{"broch.plan.tower/1", R"({"variable_devices": ["cuda:x"]})", "cuda:x"},
        Case{"broch.plan.tower/1", R"({"variable_devices": ["cpu:0", "cpu"]})", "each device once"},
        Case{"broch.plan.tower/1", R"({"mode": 2})", "inference is 2, expected 0 or 1"},
        Case{"broch.plan.reduce/1", R"({"mode": 3})", "BROCH_REDUCE_MEAN or BROCH_REDUCE_SUM"},
        Case{"broch.plan.broadcast/1", R"({"flags": 4})", "flags is 4, expected 0"},
        Case{"broch.plan.copy/1", R"({"from": "a", "to": ["a"]})", "other replicas than 'a'"},
        Case{"broch.plan.input/1", R"({"when": {"every": 2, "offset": 2}})", "less than every"},
        Case{"broch.plan.input/1", R"({"when": {"every": 3, "offsets": [1, 1]}})",
             "each number once"},
        Case{"broch.plan.input/1", R"({"when": {"every": 3, "offsets": []}})", "at least one"}}) {
    CAPTURE(one.options);
    CHECK(contains(refused([&](test::Trainer& trainer) {
                     trainer.add(one.kind, {}, one.options);
                     return trainer.status;
                   }),
                   one.words));
  }
}

TEST_CASE("plan: the size of an options struct says which header a plugin has") {
  struct Larger {
    broch_broadcast_node known;
    uint64_t unknown;
  };
  const auto status_of = [](uint32_t size, uint64_t unknown) {
    broch_status status = 0;
    refused([&](test::Trainer& trainer) {
      trainer.plans()->create(trainer.host, "main", &trainer.plan);
      Larger options{};
      options.known.node.struct_size = size;
      options.unknown = unknown;
      broch_node node = 0;
      status = trainer.plans()->add(trainer.host, trainer.plan, BROCH_NODE_BROADCAST, nullptr, 0,
                                    &options.known.node, &node);
      return broch_status{BROCH_E_UNKNOWN};
    });
    return status;
  };
  CHECK(status_of(sizeof(broch_node_options), 0) == BROCH_OK);  // an older header
  CHECK(status_of(sizeof(Larger), 0) == BROCH_OK);              // a newer one, not made use of
  CHECK(status_of(sizeof(Larger), 1) == BROCH_E_UNIMPLEMENTED);
  CHECK(status_of(8, 0) == BROCH_E_INVALID_ARGUMENT);
  CHECK(status_of(1 << 20, 0) == BROCH_E_INVALID_ARGUMENT);
}

TEST_CASE("plan: seal names the bad node") {
  CHECK(contains(refused([](test::Trainer& trainer) {
                   const broch_node input = trainer.add("broch.plan.input/1", {});
                   trainer.add("broch.plan.gradients/1", {input}, R"({"name": "grad"})");
                   return seal(trainer);
                 }),
                 "node 'grad' (broch.plan.gradients/1) of plan 'main'"));
  CHECK(contains(refused([](test::Trainer& trainer) {
                   const broch_node tower = trainer.add("broch.plan.tower/1", {});
                   trainer.add("broch.plan.apply/1", {tower}, R"({"name": "update"})");
                   return seal(trainer);
                 }),
                 "node 'update'"));
  CHECK(contains(refused([](test::Trainer& trainer) {
                   const broch_node input = trainer.add("broch.plan.input/1", {});
                   trainer.add("broch.plan.tower/1", {input}, R"({"index": 1, "total": 2})");
                   return seal(trainer);
                 }),
                 "tower index 1"));
  CHECK(contains(refused([](test::Trainer& trainer) {
                   const broch_node tower = trainer.add("broch.plan.tower/1", {});
                   trainer.add("broch.plan.gradients/1", {tower}, R"({"cost": "loss"})");
                   return seal(trainer);
                 }),
                 "'loss'"));
  CHECK(contains(refused([](test::Trainer& trainer) {
                   const broch_node tower = trainer.add("broch.plan.tower/1", {});
                   trainer.add("broch.plan.gradients/1", {tower}, R"({"variables": "v"})");
                   return seal(trainer);
                 }),
                 "at least one trainable variable"));
  CHECK(contains(refused([](test::Trainer& trainer) {
                   trainer.add("broch.plan.tower/1", {});
                   return broch_status{BROCH_OK};
                 }),
                 "without seal"));
}

namespace {

// seal's message for input, tower, gradients and apply with these conditions; "": it passes.
std::string refused_turns(const char* input, const char* gradients, const char* apply) {
  return refused([&](test::Trainer& trainer) {
    const broch_node point = trainer.add("broch.plan.input/1", {}, input);
    const broch_node tower = trainer.add("broch.plan.tower/1", {point});
    const broch_node list = trainer.add("broch.plan.gradients/1", {tower}, gradients);
    trainer.add("broch.plan.apply/1", {list}, apply);
    return seal(trainer);
  });
}

constexpr const char* kAlways = "{}";
constexpr const char* kEven = R"({"when": {"every": 2, "offset": 0}})";
constexpr const char* kOdd = R"({"when": {"every": 2, "offset": 1}})";
constexpr const char* kBoth = R"({"when": {"every": 2, "offsets": [0, 1]}})";
constexpr const char* kThird = R"({"when": {"every": 3, "offset": 0}})";
constexpr const char* kFourth = R"({"when": {"every": 4, "offset": 2}})";

}  // namespace

TEST_CASE("plan: a node has no turn without the nodes that it depends on") {
  const std::string odd = refused_turns(kAlways, kEven, kOdd);
  CHECK(contains(odd, "node 'apply3' (broch.plan.apply/1) of plan 'main'"));
  CHECK(contains(odd,
                 "takes part in run 1 of every 2, but node 'gradients2', on which it depends, "
                 "only in run 0 of every 2, so not in run 1"));
  CHECK(contains(refused_turns(kEven, kAlways, kOdd), "node 'input0'"));
  CHECK(contains(refused_turns(kEven, kAlways, kBoth), "runs 0, 1 of every 2"));
  CHECK(contains(refused_turns(kEven, kAlways, kThird), "so not in run 3"));
  CHECK(contains(refused_turns(kFourth, kAlways, kEven), "so not in run 0"));
  CHECK(contains(refused_turns(kAlways, kFourth, kOdd), "every and offsets of 'gradients2'"));
}

TEST_CASE("plan: a node may have fewer turns than what it depends on, or take over all of them") {
  for (const char* apply : {kAlways, kEven, kFourth}) {
    CHECK(refused_turns(kEven, kAlways, apply) == "");
    CHECK(refused_turns(kBoth, kEven, apply) == "");
  }
  CHECK(refused_turns(kAlways, kBoth, kThird) == "");
}

TEST_CASE("plan: a node behind two that never take part together is refused") {
  const auto behind = [](const char* one, const char* other) {
    return refused([&](test::Trainer& trainer) {
      const broch_node tower = trainer.add("broch.plan.tower/1", {});
      const broch_node a = trainer.add("broch.plan.gradients/1", {tower}, one);
      const broch_node b = trainer.add("broch.plan.gradients/1", {tower}, other);
      trainer.add("broch.plan.broadcast/1", {a, b});
      return seal(trainer);
    });
  };
  CHECK(contains(behind(kEven, kOdd), "node 'broadcast3'"));
  CHECK(contains(behind(kEven, kOdd), "it never takes part"));
  CHECK(contains(behind(kFourth, kOdd), "'gradients1', which does in run 2 of every 4"));
  CHECK(behind(kEven, kThird) == "");
  CHECK(behind(kAlways, kOdd) == "");
}

TEST_CASE("turns: long periods are compared without counting through them") {
  const plan::Turns huge{4294967295u, {7, 4294967294u}}, other{4294967291u, {3}}, even{2, {0}};
  CHECK(huge.meet(other));
  CHECK(huge.first_outside(other) == 7u);
  CHECK(huge.first_outside({1, {0}}) == std::nullopt);
  CHECK(even.first_outside(huge) == 0u);
  CHECK(plan::Turns{6, {2, 4}}.first_outside(even) == std::nullopt);
  CHECK(plan::Turns{9, {0, 3}}.first_outside({3, {0}}) == std::nullopt);
  CHECK_FALSE(plan::Turns{6, {1, 3}}.meet({4, {0, 2}}));
  CHECK(plan::Turns{9, {0, 1, 2, 3, 4}}.text() == "runs 0, 1, 2, 3, … of every 9");
}

TEST_CASE("plan: a second training tower shares the variables, or has a scope of its own") {
  const auto second = [](const char* options) {
    return refused([&](test::Trainer& trainer) {
      trainer.add("broch.plan.tower/1", {}, R"({"name": "first", "total": 2})");
      trainer.add("broch.plan.tower/1", {}, options);
      return seal(trainer);
    });
  };
  CHECK(second(R"({"name": "other", "index": 1, "total": 2})") == "");
  CHECK(second(R"({"name": "other", "index": 1, "total": 2, "vs_name": "tower1"})") == "");
  const std::string clash = second(R"({"name": "other"})");
  CHECK(contains(clash,
                 "tower 'other': training tower 0 of 1 on cpu:0 without vs_name, whose "
                 "variables tower 'first' of model"));
  CHECK(contains(clash, "with index 1 and total 2 it shares the variables of tower 0"));
  CHECK(contains(refused([](test::Trainer& trainer) {
                   trainer.add("broch.plan.tower/1", {},
                               R"({"name": "look", "mode": "inference"})");
                   trainer.add("broch.plan.tower/1", {}, R"({"name": "learn"})");
                   return seal(trainer);
                 }),
                 "add the training tower before the inference tower"));
}

TEST_CASE("plan: an optimizer is needed, and must be a known one") {
  test::Rig none;
  none.model.optimizer = "";
  CHECK_THROWS_WITH_AS(
      none.prepare(), doctest::Contains("none in the manifest and none of the model"), base::Error);
  test::Rig wrong;
  wrong.parts.optimizer = optimizer::parse_entry(R"({"use": "adan"})", "run.json");
  CHECK_THROWS_WITH_AS(wrong.prepare(), doctest::Contains("did you mean"), base::Error);
}

TEST_CASE("plan: fewer data points than towers at the end make no partial step") {
  test::Rig rig;
  rig.input.points = 3;
  rig.trainer.setup = [&] {
    test::Trainer& trainer = rig.trainer;
    trainer.plans()->create(trainer.host, "main", &trainer.plan);
    const broch_node input = trainer.add("broch.plan.input/1", {}, R"({"towers": [0, 1]})");
    trainer.add("broch.plan.tower/1", {input}, R"({"name": "tower0", "total": 2})");
    trainer.add("broch.plan.tower/1", {input},
                R"({"name": "tower1", "index": 1, "total": 2, "device": "cpu:1"})");
    return seal(trainer);
  };
  test::Callback callback;
  uint32_t ids[2] = {};
  std::vector<double> seen;
  callback.setup_graph = [&] {
    const broch_host_progress* ext = test::run_ext(callback.host);
    ext->fetch(callback.host, "cost", &ids[0]);
    return ext->fetch(callback.host, "1:cost", &ids[1]);
  };
  callback.after_run = [&](broch_run run) {
    for (const uint32_t id : ids) {
      double value = 0;
      test::run_ext(callback.host)->scalar(callback.host, run, id, &value);
      seen.push_back(value);
    }
    return broch_status{BROCH_OK};
  };
  rig.add(callback, "fetcher");
  CHECK(rig.train(5, 1) == base::Exit::ok);
  CHECK(seen == std::vector<double>{1, 2});
  CHECK(rig.progress.global_step == 1);
  CHECK(rig.run->cursors() == plan::Cursors{"1", "2"});
}

TEST_CASE("plan: nodes with a period run in their turns, calls in the order of their inputs") {
  test::Rig rig;
  static std::vector<std::string> calls;
  calls.clear();
  rig.trainer.setup = [&] {
    test::Trainer& trainer = rig.trainer;
    trainer.plans()->create(trainer.host, "main", &trainer.plan);
    const broch_node input = trainer.add("broch.plan.input/1", {});
    const broch_node tower = trainer.add("broch.plan.tower/1", {input});
    const broch_node gradients = trainer.add("broch.plan.gradients/1", {tower});
    const broch_node apply = trainer.add("broch.plan.apply/1", {gradients});
    const auto call = [&](broch_node after, const char* options, const char* text) {
      const support::JsonNode json("", options ? options : "");
      trainer.plans()->add_call(
          trainer.host, trainer.plan, &after, 1, json.options(),
          [](void* user) {
            calls.emplace_back(static_cast<const char*>(user));
            return broch_status{BROCH_OK};
          },
          const_cast<char*>(text), nullptr);
    };
    call(apply, R"({"when": {"every": 2, "offset": 1}})", "after apply");
    call(tower, nullptr, "after tower");
    return seal(trainer);
  };
  rig.train(3, 1);
  CHECK(calls ==
        std::vector<std::string>{"after tower", "after tower", "after apply", "after tower"});
}

TEST_CASE("plan: a call that stops ends training quietly") {
  test::Rig rig;
  rig.trainer.setup = [&] {
    test::Trainer& trainer = rig.trainer;
    trainer.plans()->create(trainer.host, "main", &trainer.plan);
    trainer.plans()->add_call(
        trainer.host, trainer.plan, nullptr, 0, nullptr,
        [](void*) { return broch_status{BROCH_STOP}; }, nullptr, nullptr);
    return seal(trainer);
  };
  CHECK(rig.train(3, 1) == base::Exit::ok);
  CHECK(rig.progress.global_step == 0);
}

TEST_CASE("plan: a trainer with neither plan nor run_step is refused") {
  test::Rig rig;
  rig.trainer.setup = [] { return broch_status{BROCH_OK}; };
  CHECK_THROWS_WITH_AS(rig.prepare(), doctest::Contains("neither a plan nor a run_step"),
                       base::Error);
}

TEST_CASE("plan: a run without model and input may loop over anything") {
  test::Rig rig;
  rig.with_model = rig.with_input = false;
  int steps = 0;
  rig.trainer.setup = [] { return broch_status{BROCH_OK}; };
  rig.trainer.step = [&] {
    ++steps;
    return rig.trainer.plans()->run_empty(rig.trainer.host, nullptr);
  };
  CHECK(rig.train(3, 2) == base::Exit::ok);
  CHECK(steps == 6);
  CHECK(rig.progress.global_step == 6);
}

TEST_CASE("input: a source without cursors is named once") {
  test::Rig rig;
  rig.input.cursors = false;
  const test::LogCapture log;
  rig.train(3, 1);
  const std::string text = log.text();
  const size_t first = text.find("gives no cursors");
  REQUIRE(first != std::string::npos);
  CHECK(text.find("gives no cursors", first + 1) == std::string::npos);
  CHECK(!rig.run->resumes_exactly());
}

TEST_CASE("input: behind points without cursors, the cursor of an earlier one is not kept") {
  const test::LogCapture log;
  plan::Cursors saved;
  {
    test::Rig rig;
    rig.input.before_next = [&rig](int64_t number, const broch_cancel*) {
      rig.input.cursors = number != 3;
      return broch_status{BROCH_OK};
    };
    rig.train(3, 1);
    saved = rig.run->cursors();
  }
  CHECK(saved == plan::Cursors{""});
  CHECK(log.has("gives no cursors"));
  test::Rig resumed;
  resumed.prepare();
  resumed.hypers->set("global_step", 3);
  train::MainLoop main;
  main.config = {3, 1, 2};
  main.resume_at = train::Position{2, 0};
  main.cursors = {saved};
  CHECK(resumed.run->main_loop(main) == base::Exit::ok);
  CHECK(log.has("gave no cursor with the last data point"));
  CHECK(resumed.run->cursors() == plan::Cursors{"3"});
}

TEST_CASE("input: it is started over before training, after the setup") {
  test::Rig rig;
  rig.train(1, 1);
  CHECK(rig.input.resets == 1);
}

TEST_CASE("serving: each variable goes to the server with the fewest bytes so far") {
  using broch::plan::spread_over_servers;
  using Servers = std::vector<uint32_t>;
  CHECK(spread_over_servers({100, 10, 10, 80, 5}, 2) == Servers{0, 1, 1, 1, 0});
  CHECK(spread_over_servers({4, 4, 4, 4}, 3) == Servers{0, 1, 2, 0});
  CHECK(spread_over_servers({7, 7}, 1) == Servers{0, 0});
  CHECK(spread_over_servers({}, 2).empty());
}
