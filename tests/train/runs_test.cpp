#include <doctest/doctest.h>

#include "rig.hpp"

using namespace broch;
using Numbers = std::vector<double>;

namespace {

// A callback that fetches names and keeps what it gets.
struct Fetcher : test::Callback {
  std::vector<const char*> names;
  std::vector<uint32_t> ids;
  std::vector<Numbers> seen;  // one list a run; NaN: not wanted
  std::function<void(uint64_t*)> choose;

  explicit Fetcher(std::vector<const char*> wanted) : names(std::move(wanted)) {
    setup_graph = [this] {
      for (const char* name : names) {
        uint32_t id = 0;
        if (const broch_status status = test::run_ext(host)->fetch(host, name, &id)) return status;
        ids.push_back(id);
      }
      return broch_status{BROCH_OK};
    };
    before_run = [this](broch_run, uint64_t* mask) {
      if (choose) choose(mask);
      return broch_status{BROCH_OK};
    };
    after_run = [this](broch_run run) {
      Numbers& numbers = seen.emplace_back();
      for (const uint32_t id : ids) {
        double value = 0;
        const broch_status status = test::run_ext(host)->scalar(host, run, id, &value);
        if (status < 0) return status;
        numbers.push_back(status == BROCH_NONE ? -1 : value);
      }
      return broch_status{BROCH_OK};
    };
  }
};

}  // namespace

TEST_CASE("run: values come from the step's own data point") {
  test::Rig rig;
  Fetcher first({"x", "cost"}), second({"0:x", "global_step", "epoch_num", "learning_rate", "w"});
  rig.add(first, "first");
  rig.add(second, "second");
  rig.train(2, 1);
  CHECK(first.ids == std::vector<uint32_t>{0, 1});
  CHECK(first.seen == std::vector<Numbers>{{1, 1}, {2, 2}});
  CHECK(second.seen == std::vector<Numbers>{{1, 0, 1, 0.1, 1}, {2, 1, 1, 0.1, 1}});
  CHECK(rig.input.next_value == 3);
}

TEST_CASE("run: a cleared bit is not fetched and answers NONE") {
  test::Rig rig;
  Fetcher fetcher({"x", "cost"});
  fetcher.choose = [&](uint64_t* mask) {
    CHECK(*mask == 3);
    if (rig.progress.global_step == 0) *mask &= ~uint64_t{2};
  };
  rig.add(fetcher, "fetcher");
  rig.train(2, 1);
  CHECK(fetcher.seen == std::vector<Numbers>{{1, -1}, {2, 2}});
}

TEST_CASE("run: an unknown name is an error with the near ones") {
  test::Rig rig;
  Fetcher fetcher({"csot"});
  rig.add(fetcher, "fetcher");
  CHECK_THROWS_WITH_AS(rig.prepare(), doctest::Contains("did you mean 'cost'?"), base::Error);
}

namespace {

// The message with which a fetch of this name is refused.
std::string refused_fetch(const char* name) {
  test::Rig rig;
  rig.model.optimizer = R"({"use": "adam"})";
  Fetcher fetcher({name});
  rig.add(fetcher, "fetcher");
  try {
    rig.prepare();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("run: the names that there are begin with what the tower publishes") {
  const std::string text = refused_fetch("nothing_like_it");
  const size_t list = text.find("there are: ");
  REQUIRE(list != std::string::npos);
  INFO(text);
  const auto place = [&](const char* name) { return text.find(name, list); };
  CHECK(std::max(place("cost"), place("x")) < place("learning_rate"));
  CHECK(text.find("learning_rate", place("learning_rate") + 1) == std::string::npos);
  CHECK(place("exp_avg") == std::string::npos);
  CHECK(refused_fetch("w/exp_awg").find("did you mean 'w/exp_avg'?") != std::string::npos);
}

TEST_CASE("run: a name of a tower that is not there lists those of the one that is") {
  const std::string text = refused_fetch("1:cost");
  INFO(text);
  CHECK(text.find("a name of tower 0, as there is no other training tower") != std::string::npos);
  CHECK(text.find("cost", text.find("there are: ")) != std::string::npos);
  CHECK(text.find("learning_rate") == std::string::npos);
  CHECK(refused_fetch("1x:cost").find("of tower 0") == std::string::npos);
}

TEST_CASE("run: names are declared in setup_graph only") {
  test::Rig rig;
  test::Callback callback;
  uint32_t id = 0;
  broch_status late = 0;
  callback.before_train = [&] {
    late = test::run_ext(callback.host)->fetch(callback.host, "cost", &id);
    return broch_status{BROCH_OK};
  };
  rig.add(callback, "late");
  rig.train(1, 1);
  CHECK(late == BROCH_E_FAILED_PRECONDITION);
}

TEST_CASE("run: a fetched handle lives until the last after_run") {
  test::Rig rig;
  test::Callback first, second;
  uint32_t id = 0;
  broch_tensor kept = 0;
  broch_run stale_run = 0;
  double value = 0;
  broch_status later = 0;
  const auto item = [&](const broch_host* host) {
    return test::extension<broch_host_tensor>(host, BROCH_EXT_TENSOR)->item(host, kept, &value);
  };
  first.setup_graph = [&] { return test::run_ext(first.host)->fetch(first.host, "x", &id); };
  first.after_run = [&](broch_run run) {
    stale_run = run;
    return test::run_ext(first.host)->value(first.host, run, id, &kept);
  };
  second.after_run = [&](broch_run) { return item(first.host); };
  second.trigger_step = [&] {
    double ignored = 0;
    CHECK(test::run_ext(first.host)->scalar(first.host, stale_run, id, &ignored) < 0);
    later = item(first.host);
    return broch_status{BROCH_OK};
  };
  rig.add(first, "first");
  rig.add(second, "second");
  rig.train(1, 1);
  CHECK(value == 1);
  CHECK(later < 0);
}

TEST_CASE("run: a feed replaces the data of an input, which is then not consumed") {
  test::Rig rig;
  test::Callback feeder;
  Fetcher fetcher({"cost"});
  uint32_t id = 0;
  feeder.setup_graph = [&] { return test::run_ext(feeder.host)->feed(feeder.host, "x", &id); };
  feeder.before_run = [&](broch_run run, uint64_t*) {
    float number = 42;
    const broch_dl_tensor data = {&number, {BROCH_DL_CPU, 0}, 0, {BROCH_DL_FLOAT, 32, 1},
                                  nullptr, nullptr,           0};
    broch_tensor tensor = 0;
    const auto* tensors = test::extension<broch_host_tensor>(feeder.host, BROCH_EXT_TENSOR);
    if (const broch_status status = tensors->from_data(feeder.host, &data, &tensor)) return status;
    return test::run_ext(feeder.host)->set_feed(feeder.host, run, id, tensor);
  };
  rig.add(feeder, "feeder");
  rig.add(fetcher, "fetcher");
  SUBCASE("one feeder") {
    rig.train(2, 1);
    CHECK(fetcher.seen == std::vector<Numbers>{{42}, {42}});
  }
  SUBCASE("two feeders are an error naming both") {
    test::Callback rival;
    rival.setup_graph = [&] { return test::run_ext(rival.host)->feed(rival.host, "x", &id); };
    rival.before_run = [&](broch_run run, uint64_t*) {
      broch_tensor tensor = 0;
      float number = 1;
      const broch_dl_tensor data = {&number, {BROCH_DL_CPU, 0}, 0, {BROCH_DL_FLOAT, 32, 1},
                                    nullptr, nullptr,           0};
      test::extension<broch_host_tensor>(rival.host, BROCH_EXT_TENSOR)
          ->from_data(rival.host, &data, &tensor);
      return test::run_ext(rival.host)->set_feed(rival.host, run, id, tensor);
    };
    rig.add(rival, "rival");
    CHECK_THROWS_WITH_AS(rig.train(1, 1), doctest::Contains("feeder and rival"), base::Error);
  }
  CHECK(rig.input.next_value == 1);
}

TEST_CASE("run: what is fed as an input must have its type") {
  test::Rig rig;
  test::Callback feeder;
  uint32_t id = 0;
  feeder.setup_graph = [&] { return test::run_ext(feeder.host)->feed(feeder.host, "x", &id); };
  feeder.before_run = [&](broch_run run, uint64_t*) {
    double number = 42;
    const broch_dl_tensor data = {&number, {BROCH_DL_CPU, 0}, 0, {BROCH_DL_FLOAT, 64, 1},
                                  nullptr, nullptr,           0};
    broch_tensor tensor = 0;
    test::extension<broch_host_tensor>(feeder.host, BROCH_EXT_TENSOR)
        ->from_data(feeder.host, &data, &tensor);
    return test::run_ext(feeder.host)->set_feed(feeder.host, run, id, tensor);
  };
  rig.add(feeder, "feeder");
  CHECK_THROWS_WITH_AS(rig.train(1, 1),
                       doctest::Contains("feed of input 'x': float64 (), expected float32 ()"),
                       base::Error);
}

TEST_CASE("run: hooked runs are legal in trigger events and an error in before_run and after_run") {
  test::Rig rig;
  test::Callback callback;
  std::vector<broch_status> statuses;
  const auto run = [&] { statuses.push_back(rig.trainer.run()); };
  bool nested = false;
  callback.trigger_step = [&] {
    if (!std::exchange(nested, true)) run();
    return broch_status{BROCH_OK};
  };
  callback.before_run = [&](broch_run, uint64_t*) {
    run();
    return broch_status{BROCH_OK};
  };
  rig.add(callback, "nesting");
  rig.train(1, 1);
  CHECK(statuses == std::vector<broch_status>{BROCH_E_FAILED_PRECONDITION,
                                              BROCH_E_FAILED_PRECONDITION, BROCH_OK});
  CHECK(rig.progress.global_step == 2);
}

TEST_CASE("run: another hook group leaves global_step and the trainer's hooks alone") {
  test::Rig rig;
  test::Callback callback;
  int hooks = 0;
  callback.after_run = [&](broch_run) {
    ++hooks;
    return broch_status{BROCH_OK};
  };
  rig.add(callback, "hooks");
  rig.trainer.step = [&] {
    const broch_host_plan* plans = rig.trainer.plans();
    if (const broch_status status =
            plans->run(rig.trainer.host, rig.trainer.plan, 1, "discriminator"))
      return status;
    if (const broch_status status = plans->run_empty(rig.trainer.host, "discriminator"))
      return status;
    return plans->run_empty(rig.trainer.host, nullptr);
  };
  rig.train(2, 1);
  CHECK(hooks == 2);
  CHECK(rig.progress.global_step == 2);
  CHECK(rig.input.next_value == 3);
}

TEST_CASE("run: an empty run computes what is fetched, with a data point of its own") {
  test::Rig rig;
  Fetcher fetcher({"cost"});
  rig.add(fetcher, "fetcher");
  rig.trainer.step = [&] { return rig.trainer.plans()->run_empty(rig.trainer.host, nullptr); };
  rig.train(2, 1);
  CHECK(fetcher.seen == std::vector<Numbers>{{1}, {2}});
}

TEST_CASE("eval: it consumes one data point, changes nothing and fails under feed") {
  for (const uint32_t flags : {0u, uint32_t{BROCH_INPUT_FEED}, uint32_t{BROCH_INPUT_STAGED}}) {
    test::Rig rig;
    rig.input.flags = flags;
    test::Callback callback;
    broch_status status = 0, variable_status = 0;
    double value = 0;
    std::string why;
    callback.trigger_epoch = [&] {
      const char* names[] = {"cost", "w"};
      broch_tensor values[2] = {};
      const broch_host_progress* ext = test::run_ext(callback.host);
      status = ext->eval(callback.host, names, 1, values);
      why = callback.host->last_error(callback.host);
      if (status == BROCH_OK)
        test::extension<broch_host_tensor>(callback.host, BROCH_EXT_TENSOR)
            ->item(callback.host, values[0], &value);
      variable_status = ext->eval(callback.host, names + 1, 1, values);
      return broch_status{BROCH_OK};
    };
    rig.add(callback, "evaluator");
    rig.train(2, 1);
    CHECK(variable_status == BROCH_OK);
    CHECK(rig.progress.global_step == 2);
    if (flags == 0) {
      CHECK(status == BROCH_OK);
      CHECK(value == 3);
      CHECK(rig.input.next_value == 4);
    } else {
      CHECK(status < 0);
      CHECK(why.find("the input 'x'") != std::string::npos);
      CHECK(rig.input.next_value == 3);
    }
  }
}

TEST_CASE("updates: they are committed when a run contains their anchor") {
  struct Case {
    const char* anchor;
    const char* collection;  // that is asked for
    const char* fetched;
    double expected;  // of the variable after the step with x = 1
  };
  for (const Case& one :
       {Case{"cost", nullptr, nullptr, 1}, Case{"UPDATE_OPS", nullptr, nullptr, 0},
        Case{"UPDATE_OPS", "UPDATE_OPS", nullptr, 1}, Case{"aside", nullptr, nullptr, 0},
        Case{"aside", nullptr, "aside", 1}}) {
    CAPTURE(one.anchor);
    test::Rig rig;
    rig.model.body = [&](broch_tower tower, broch_tensor x) {
      broch_tensor value = 0, published = 0;
      const broch_variable state = rig.model.variable(tower, "state", 0, 0, &value);
      const broch_host_tower* towers = rig.model.towers();
      towers->publish(rig.model.host, tower, "aside", value, &published);
      towers->update(rig.model.host, tower, state, x, one.anchor);
    };
    Fetcher fetcher(one.fetched ? std::vector<const char*>{one.fetched, "state"}
                                : std::vector<const char*>{"state"});
    test::Callback asking;
    asking.setup_graph = [&] {
      return one.collection
                 ? test::run_ext(asking.host)->run_collection(asking.host, one.collection)
                 : BROCH_OK;
    };
    rig.add(asking, "asking");
    rig.add(fetcher, "fetcher");
    const test::LogCapture log;
    rig.train(1, 1);
    CHECK(fetcher.seen[0].back() == one.expected);  // variables are read after the commit
    CHECK(rig.variable("state") == one.expected);
    const bool forgotten = std::string(one.anchor) == "UPDATE_OPS" && !one.collection;
    CHECK(log.has("but nothing runs them") == forgotten);
    const bool unreached = std::string(one.anchor) == "aside" && !one.fetched;
    CHECK(log.has("the update is never made unless something does") == unreached);
  }
}

TEST_CASE("moving averages: the golden values, kept only when somebody asks") {
  for (const bool asked : {true, false}) {
    test::Rig rig;
    rig.model.body = [&](broch_tower tower, broch_tensor x) {
      test::extension<broch_host_summary>(rig.model.host, BROCH_EXT_SUMMARY)
          ->moving(rig.model.host, tower, "loss", x, 0.95);
    };
    test::Callback keeping;
    keeping.setup_graph = [&] {
      return asked ? test::run_ext(keeping.host)->run_collection(keeping.host, "MOVING_SUMMARY_OPS")
                   : BROCH_OK;
    };
    keeping.before_run = [&](broch_run run, uint64_t*) {
      return test::run_ext(keeping.host)->want_summaries(keeping.host, run);
    };
    rig.add(keeping, "keeping");
    rig.train(5, 1);
    const auto history = rig.run->monitors().history("loss");
    if (!asked) {
      CHECK(history.empty());
      continue;
    }
    REQUIRE(history.size() == 5);
    // As float32 prints them, computed in double precision.
    const float golden[] = {1, 1.5128205F, 2.0341806F, 2.5640689F, 3.1024699F};
    for (size_t i = 0; i < 5; ++i) {
      CHECK(static_cast<float>(history[i].value) == golden[i]);
      CHECK(history[i].global_step == static_cast<int64_t>(i + 1));
    }
    CHECK(rig.variable("EMA/loss/step") == 5);
    CHECK(rig.store->at("EMA/loss/biased").local());
  }
}

TEST_CASE("progress: it is there before the trainer and kept in place") {
  test::Rig rig;
  test::Callback callback;
  rig.add(callback, "early");
  const broch_progress* progress = test::run_ext(callback.host)->progress(callback.host);
  REQUIRE(progress == &rig.progress);
  rig.train(3, 2);
  CHECK(progress->global_step == 6);
  CHECK(progress->steps_per_epoch == 3);
  CHECK(progress->max_epoch == 2);
}
