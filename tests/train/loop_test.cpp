#include <doctest/doctest.h>

#include <csignal>

#include "rig.hpp"

using namespace broch;
using Trace = std::vector<std::string>;

TEST_CASE("loop: two epochs of two steps give the golden trace") {
  test::Rig rig;
  test::Callback callback;
  Trace trace;
  test::record(callback, rig, trace);
  rig.add(callback, "recorder");
  CHECK(rig.train(2, 2) == base::Exit::ok);
  CHECK(trace == Trace{"before_train 0,-1,0", "before_epoch 1,-1,0", "before_run 1,0,0",
                       "after_run 1,0,1",     "trigger_step 1,0,1",  "before_run 1,1,1",
                       "after_run 1,1,2",     "trigger_step 1,1,2",  "after_epoch 1,1,2",
                       "trigger_epoch 1,1,2", "before_epoch 2,1,2",  "before_run 2,0,2",
                       "after_run 2,0,3",     "trigger_step 2,0,3",  "before_run 2,1,3",
                       "after_run 2,1,4",     "trigger_step 2,1,4",  "after_epoch 2,1,4",
                       "trigger_epoch 2,1,4", "after_train 2,1,4"});
}

TEST_CASE("loop: an epoch of no steps has its epoch events and counts nothing") {
  test::Rig rig;
  test::Callback callback;
  Trace trace;
  test::record(callback, rig, trace);
  rig.add(callback, "recorder");
  CHECK(rig.train(0, 2) == base::Exit::ok);
  CHECK(trace == Trace{"before_train 0,-1,0", "before_epoch 1,-1,0", "after_epoch 1,-1,0",
                       "trigger_epoch 1,-1,0", "before_epoch 2,-1,0", "after_epoch 2,-1,0",
                       "trigger_epoch 2,-1,0", "after_train 2,-1,0"});
}

TEST_CASE("loop: a max_epoch before the starting epoch only begins and ends") {
  test::Rig rig;
  test::Callback callback;
  Trace trace;
  test::record(callback, rig, trace);
  rig.add(callback, "recorder");
  const test::LogCapture log;
  CHECK(rig.train(2, 4, 5) == base::Exit::ok);
  CHECK(trace == Trace{"before_train 4,-1,0", "after_train 4,-1,0"});
  CHECK(log.has("Training has finished!"));
}

TEST_CASE("loop: two hooked runs in a step count two, none counts none") {
  for (const int runs : {0, 2}) {
    test::Rig rig;
    test::Callback callback;
    Trace trace;
    test::record(callback, rig, trace);
    rig.add(callback, "recorder");
    rig.trainer.step = [&] {
      for (int i = 0; i < runs; ++i)
        if (const broch_status status = rig.trainer.run()) return status;
      return broch_status{BROCH_OK};
    };
    CHECK(rig.train(2, 1) == base::Exit::ok);
    if (runs == 0)
      CHECK(trace == Trace{"before_train 0,-1,0", "before_epoch 1,-1,0", "trigger_step 1,0,0",
                           "trigger_step 1,1,0", "after_epoch 1,1,0", "trigger_epoch 1,1,0",
                           "after_train 1,1,0"});
    else
      CHECK(trace == Trace{"before_train 0,-1,0", "before_epoch 1,-1,0", "before_run 1,0,0",
                           "after_run 1,0,1", "before_run 1,0,1", "after_run 1,0,2",
                           "trigger_step 1,0,2", "before_run 1,1,2", "after_run 1,1,3",
                           "before_run 1,1,3", "after_run 1,1,4", "trigger_step 1,1,4",
                           "after_epoch 1,1,4", "trigger_epoch 1,1,4", "after_train 1,1,4"});
  }
}

TEST_CASE("loop: a trainer's own callback sees the old global step in after_run") {
  struct Strategy : test::Trainer {
    test::Callback callback;
    const void* interface(const char* id) override {
      const void* table = Trainer::interface(id);
      return table ? table : forwarded(id);
    }
    // self is the trainer, so the callback's functions reach it through this object.
    const void* forwarded(const char* id) {
      if (std::strcmp(id, BROCH_ROLE_CALLBACK) != 0) return nullptr;
      static broch_callback own{};
      own.struct_size = sizeof own;
      own.after_run = [](void* self, broch_run run) {
        return static_cast<Strategy*>(static_cast<Component*>(self))->callback.after_run(run);
      };
      return &own;
    }
  } strategy;
  test::Rig rig;
  Trace trace;
  strategy.callback.after_run = [&](broch_run) {
    trace.push_back(rig.at());
    return test::extension<broch_host_metrics>(strategy.host, BROCH_EXT_METRICS)
        ->put_scalar(strategy.host, "number", double(trace.size()));
  };
  rig.build();  // makes the usual trainer; replaced below
  rig.run.reset();
  rig.parts.trainer = &rig.make(strategy, "strategy", "trainer");
  rig.run.emplace(rig.parts);
  rig.run->setup_graph();
  rig.run->setup_callbacks();
  rig.run->initialize();
  rig.train(2, 1);
  CHECK(trace == Trace{"1,0,0", "1,1,1"});
  // What it puts belongs to the step that has just been made.
  const auto numbers = rig.run->monitors().history("number");
  REQUIRE(numbers.size() == 2);
  for (const broch_metric_point& point : numbers) CHECK(point.value == double(point.global_step));
}

TEST_CASE("loop: resuming at a step repeats before_epoch and goes on there") {
  test::Rig rig;
  test::Callback callback;
  Trace trace;
  test::record(callback, rig, trace);
  rig.add(callback, "recorder");
  rig.prepare();
  rig.hypers->set("global_step", 5);
  train::MainLoop main;
  main.config = {3, 1, 2};
  main.resume_at = train::Position{2, 2};
  main.cursors = {plan::Cursors{"5"}};
  CHECK(rig.run->main_loop(main) == base::Exit::ok);
  CHECK(trace == Trace{"before_train 1,1,5", "before_epoch 2,1,5", "before_run 2,2,5",
                       "after_run 2,2,6", "trigger_step 2,2,6", "after_epoch 2,2,6",
                       "trigger_epoch 2,2,6", "after_train 2,2,6"});
  CHECK(rig.progress.resumed == 1);
  CHECK(rig.input.resumed == Trace{"5"});
  CHECK(rig.run->cursors() == Trace{"6"});
}

TEST_CASE("loop: the position is that of the next step, and inside an event names the callback") {
  using During = train::Position::During;
  test::Rig rig;
  test::Callback callback;
  std::vector<train::Position> seen;
  const auto note = [&] {
    seen.push_back(rig.run->position());
    return broch_status{BROCH_OK};
  };
  callback.before_epoch = callback.trigger_step = callback.after_epoch = callback.trigger_epoch =
      note;
  rig.add(callback, "saver");
  rig.train(2, 1);
  CHECK(seen == std::vector<train::Position>{{1, 0, During::nothing, ""},
                                             {1, 1, During::trigger_step, "saver"},
                                             {1, 2, During::trigger_step, "saver"},
                                             {1, 2, During::nothing, ""},
                                             {1, 2, During::trigger_epoch, "saver"}});
}

TEST_CASE("loop: resuming inside an event calls the callbacks that had not been called") {
  using During = train::Position::During;
  const auto resume = [](train::Position position) {
    test::Rig rig;
    test::Callback first, saver, last;
    Trace trace;
    test::record(last, rig, trace);
    saver.trigger_step = saver.trigger_epoch = first.trigger_step = first.trigger_epoch = [&] {
      trace.push_back("again");
      return broch_status{BROCH_OK};
    };
    rig.add(first, "first");
    rig.add(saver, "saver");
    rig.add(last, "last");
    rig.prepare();
    train::MainLoop main;
    main.config = {1, 1, 2};
    main.resume_at = position;
    rig.hypers->set("global_step", 1);
    CHECK(rig.run->main_loop(main) == base::Exit::ok);
    trace.resize(std::min<size_t>(trace.size(), 4));
    return trace;
  };
  CHECK(
      resume({1, 1, During::trigger_epoch, "saver"}) ==
      Trace{"before_train 0,0,1", "trigger_epoch 1,0,1", "before_epoch 2,0,1", "before_run 2,0,1"});
  CHECK(
      resume({1, 1, During::trigger_step, "saver"}) ==
      Trace{"before_train 0,0,1", "before_epoch 1,0,1", "trigger_step 1,0,1", "after_epoch 1,0,1"});
}

TEST_CASE("loop: resumed inside before_train, callbacks behind the saver see a new run") {
  using During = train::Position::During;
  const auto resumed = [](const std::optional<train::Position>& position) {
    test::Rig rig;
    test::Callback first, saver, last;
    Trace trace;
    const auto note = [&](const char* name) {
      return [&, name] {
        trace.push_back(name + std::string(" ") + std::to_string(rig.progress.resumed));
        return broch_status{BROCH_OK};
      };
    };
    first.before_train = note("first");
    last.before_train = note("last");
    saver.before_train = [&, see = note("saver")] {
      if (!position)
        CHECK(rig.run->position() == train::Position{1, 0, During::before_train, "saver"});
      return see();
    };
    last.before_epoch = note("epoch");
    rig.add(first, "first");
    rig.add(saver, "saver");
    rig.add(last, "last");
    rig.prepare();
    train::MainLoop main;
    main.config = {1, 1, 1};
    main.resume_at = position;
    CHECK(rig.run->main_loop(main) == base::Exit::ok);
    return trace;
  };
  CHECK(resumed(std::nullopt) == Trace{"first 0", "saver 0", "last 0", "epoch 0"});
  CHECK(resumed(train::Position{1, 0, During::before_train, "saver"}) ==
        Trace{"first 1", "saver 1", "last 0", "epoch 1"});
  CHECK(resumed(train::Position{1, 0, During::before_train, ""}) ==
        Trace{"first 0", "saver 0", "last 0", "epoch 1"});
  CHECK(resumed(train::Position{1, 0, During::nothing, ""}) ==
        Trace{"first 1", "saver 1", "last 1", "epoch 1"});
}

TEST_CASE("loop: before it begins, the position is that of its first epoch") {
  test::Rig rig;
  rig.parts.starting_epoch = 5;
  rig.prepare();
  CHECK(rig.run->position() == train::Position{5, 0, train::Position::During::before_train, ""});
}

TEST_CASE("loop: interrupted in before_train, it goes on with the callback that was ended") {
  test::Rig rig;
  test::Callback first, waiting;
  std::optional<train::Position> saved;
  first.before_train = [] { return broch_status{BROCH_OK}; };
  waiting.before_train = [&] {
    rig.interrupt.raise(SIGTERM);
    return broch_status{BROCH_CANCELLED};
  };
  rig.add(first, "first");
  rig.add(waiting, "waiting");
  rig.prepare();
  train::MainLoop main;
  main.config = {1, 1, 1};
  main.on_interrupt = [&] {
    saved = rig.run->position();
    return true;
  };
  CHECK(rig.run->main_loop(main) == base::Exit::saved);
  CHECK(saved == train::Position{1, 0, train::Position::During::before_train, "first"});
}

TEST_CASE("loop: each phase happens once") {
  test::Rig rig;
  rig.train(1, 1);
  CHECK_THROWS_WITH_AS(rig.run->main_loop({}), doctest::Contains("main_loop was already done"),
                       base::Error);
  CHECK_THROWS_WITH_AS(rig.run->setup_graph(), doctest::Contains("setup_graph was already done"),
                       base::Error);
}

TEST_CASE("loop: negative counts are refused") {
  train::LoopParts parts;
  broch_progress progress{};
  parts.progress = &progress;
  CHECK_THROWS_WITH_AS((train::TrainLoop{{-1, 1, 1}, parts}), doctest::Contains("steps_per_epoch"),
                       base::Error);
  CHECK_THROWS_WITH_AS((train::TrainLoop{{1, 1, -1}, parts}), doctest::Contains("max_epoch"),
                       base::Error);
}

TEST_CASE("loop: a signal to any of several ranks in an event ends all of them there, saved") {
  broch_progress progress{};
  train::Callbacks callbacks;
  plan::Interrupt interrupt;
  train::LoopParts parts;
  parts.progress = &progress;
  parts.callbacks = &callbacks;
  parts.interrupt = &interrupt;
  parts.run_step = [] {};
  parts.stored_global_step = [] { return int64_t{0}; };
  parts.stop_request = [] { return std::optional<std::string>(); };
  // The ninth question is whether a rank has left trigger_epoch early, the next ones are about a
  // signal, a wait that it has ended, and a stop.
  int questions = 0;
  std::function<bool()> of_other;
  parts.on_any_rank = [&](bool here) { return ++questions >= 9 ? of_other() || here : here; };
  SUBCASE("another rank, whose wait it has ended") {
    of_other = [&] { return questions < 12; };
  }
  SUBCASE("this one, while it waits for the others") {
    of_other = [&] {
      if (questions == 9) interrupt.raise(SIGTERM);
      return false;
    };
  }
  std::optional<train::Position> saved;
  train::TrainLoop* running = nullptr;
  parts.on_interrupt = [&] {
    saved = running->position();
    return true;
  };
  train::TrainLoop loop({1, 1, 2}, parts);
  running = &loop;
  CHECK(loop.run() == base::Exit::saved);
  CHECK(interrupt.agreed());
  CHECK(saved == train::Position{2, 0});
}

TEST_CASE("callbacks: chief-only ones are skipped on other ranks with a warning") {
  test::Rig rig;
  rig.progress.is_chief = 0;
  test::Callback everywhere, chief;
  Trace trace;
  test::record(everywhere, rig, trace, "all ");
  test::record(chief, rig, trace, "chief ");
  rig.add(chief, "saver", true);
  rig.add(everywhere, "progress", false);
  const test::LogCapture log;
  rig.train(0, 1);
  CHECK(trace.size() == 5);
  CHECK(trace[0] == "all before_train 0,-1,0");
  CHECK(log.has("Callback saver is chief-only, skipped."));
}

TEST_CASE("dist: ranks that do not communicate know their numbers, and cannot work together") {
  test::Rig rig;
  rig.world.rank = 1;
  rig.world.ranks = 2;
  test::Callback callback;
  callback.before_train = [&] {
    const auto* dist = test::extension<broch_host_dist>(callback.host, BROCH_EXT_DIST);
    uint32_t rank = 0, world = 0, local_rank = 9;
    CHECK(dist->ranks(callback.host, &rank, &world, &local_rank) == BROCH_OK);
    CHECK(rank == 1);
    CHECK(world == 2);
    CHECK(local_rank == 0);
    CHECK(dist->barrier(callback.host) == BROCH_E_FAILED_PRECONDITION);
    return broch_status{BROCH_OK};
  };
  rig.add(callback, "callback");
  rig.train(0, 1);
}

TEST_CASE("callbacks: events come in order of registration") {
  test::Rig rig;
  test::Callback first, second, extra;
  Trace trace;
  test::record(first, rig, trace, "first ");
  test::record(second, rig, trace, "second ");
  test::record(extra, rig, trace, "extra ");
  rig.add(first, "first");
  rig.add(second, "second");
  rig.parts.extra_callbacks.push_back({&rig.make(extra, "extra", "callback"), true});
  rig.train(0, 0);
  CHECK(trace == Trace{"first before_train 0,-1,0", "second before_train 0,-1,0",
                       "extra before_train 0,-1,0", "first after_train 0,-1,0",
                       "second after_train 0,-1,0", "extra after_train 0,-1,0"});
}

TEST_CASE("callbacks: trigger stands in for a missing trigger_epoch") {
  test::Rig rig;
  test::Callback callback;
  int triggered = 0;
  callback.trigger = [&] {
    ++triggered;
    return broch_status{BROCH_OK};
  };
  rig.add(callback, "saver");
  rig.train(1, 3);
  CHECK(triggered == 3);
}

TEST_CASE("callbacks: slow ones are named when all together took two seconds") {
  test::Rig rig;
  base::FakeClock clock;
  rig.parts.clock = &clock;
  test::Callback slow, quick;
  slow.trigger_epoch = [&] {
    clock.advance(2.5);
    return broch_status{BROCH_OK};
  };
  quick.trigger_epoch = [&] {
    clock.advance(0.9);
    return broch_status{BROCH_OK};
  };
  rig.add(slow, "slow-one");
  rig.add(quick, "quick-one");
  const test::LogCapture log;
  rig.train(1, 1);
  CHECK(log.has("Callbacks took 3.4 sec in total. slow-one: 2.5 seconds"));
  CHECK(!log.has("quick-one:"));
}
