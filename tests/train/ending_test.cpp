#include <doctest/doctest.h>

#include <csignal>

#include "rig.hpp"

using namespace broch;
using Trace = std::vector<std::string>;

namespace {

// A run with a recorder behind the callback that ends it.
struct Ending {
  test::Rig rig;
  test::Callback culprit, recorder;
  Trace trace;
  test::LogCapture log;

  Ending() {
    test::record(recorder, rig, trace);
    rig.add(culprit, "culprit");
    rig.add(recorder, "recorder");
  }
  broch_status fail(broch_status status, const char* why) {
    return culprit.host->fail(culprit.host, status, why);
  }
  std::string last() const { return trace.empty() ? "" : trace.back(); }
  bool saw(const std::string& event) const {
    for (const std::string& line : trace)
      if (line.starts_with(event)) return true;
    return false;
  }
};

broch_status request_stop(const broch_host* host, const char* why) {
  return test::run_ext(host)->request_stop(host, why);
}

}  // namespace

TEST_CASE("ending: a stop skips the rest of its event and the epoch's, and is no failure") {
  Ending end;
  end.culprit.trigger_step = [&] {
    return end.rig.progress.global_step == 1 ? end.fail(BROCH_STOP, "enough") : BROCH_OK;
  };
  CHECK(end.rig.train(2, 2) == base::Exit::ok);
  CHECK(end.trace == Trace{"before_train 0,-1,0", "before_epoch 1,-1,0", "before_run 1,0,0",
                           "after_run 1,0,1", "after_train 1,0,1"});
  CHECK(end.log.has("Training was stopped by exception enough."));
  CHECK(!end.log.has("Training has finished!"));
}

TEST_CASE("ending: the log tells who stops the training, and why only once") {
  Ending end;
  end.culprit.trigger_epoch = [&] { return end.fail(BROCH_STOP, "enough"); };
  CHECK(end.rig.train(1, 2) == base::Exit::ok);
  const std::string log = end.log.text();
  CHECK(log.find(" stops in trigger_epoch\n") != std::string::npos);
  const size_t reason = log.find("enough");
  REQUIRE(reason != std::string::npos);
  CHECK(log.find("enough", reason + 1) == std::string::npos);
}

TEST_CASE("ending: a stop in before_run or after_run skips the rest of the step") {
  for (const bool before : {true, false}) {
    Ending end;
    const auto stop = [&] { return end.fail(BROCH_STOP, "enough"); };
    if (before)
      end.culprit.before_run = [&](broch_run, uint64_t*) { return stop(); };
    else
      end.culprit.after_run = [&](broch_run) { return stop(); };
    CHECK(end.rig.train(2, 2) == base::Exit::ok);
    CHECK(end.rig.progress.global_step == (before ? 0 : 1));
    CHECK(end.saw("before_run") == !before);
    CHECK(!end.saw("after_run"));
    CHECK(!end.saw("trigger_step"));
    CHECK(end.last().starts_with("after_train"));
    CHECK(end.log.has("Training was stopped by exception enough."));
  }
}

TEST_CASE("ending: a trainer cannot swallow a callback's stop") {
  Ending end;
  end.culprit.after_run = [&](broch_run) { return end.fail(BROCH_STOP, "quiet"); };
  end.rig.trainer.step = [&] {
    end.rig.trainer.run();
    return broch_status{BROCH_OK};
  };
  CHECK(end.rig.train(2, 2) == base::Exit::ok);
  CHECK(end.log.has("Training was stopped by exception quiet."));
  CHECK(!end.saw("after_run"));
}

TEST_CASE("ending: the end of the data is graceful wherever it comes") {
  for (const int64_t points : {0, 3, 4}) {  // at the first step, within an epoch, after a last step
    Ending end;
    end.rig.input.points = points;
    CHECK(end.rig.train(2, 9) == base::Exit::ok);
    CHECK(end.rig.progress.global_step == points);
    CHECK(end.log.has("Training was stopped by exception the end of the data"));
    CHECK(end.last().starts_with("after_train"));
    CHECK(end.rig.variable("global_step") == static_cast<double>(points));
  }
}

TEST_CASE("ending: a failing source is a failure with its own words, not an end") {
  for (const int64_t at : {1, 2, 4}) {
    Ending end;
    end.rig.input.before_next = [&](int64_t number, const broch_cancel*) {
      const broch_host* host = end.rig.input.host;
      return number == at ? host->fail(host, BROCH_E_DATA_LOSS, "bad record") : BROCH_OK;
    };
    CHECK_THROWS_WITH_AS(end.rig.train(2, 9), doctest::Contains("bad record"), base::Error);
    CHECK(end.log.has("Training failed at global_step=" + std::to_string(at - 1)));
    CHECK(end.last().starts_with("after_train"));
  }
}

TEST_CASE("ending: a request to stop lets the step complete") {
  Ending end;
  end.culprit.after_run = [&](broch_run) {
    return end.rig.progress.global_step == 1 ? request_stop(end.culprit.host, "plateau") : BROCH_OK;
  };
  CHECK(end.rig.train(3, 2) == base::Exit::ok);
  CHECK(end.trace == Trace{"before_train 0,-1,0", "before_epoch 1,-1,0", "before_run 1,0,0",
                           "after_run 1,0,1", "trigger_step 1,0,1", "after_train 1,1,1"});
  CHECK(end.log.has("Training was stopped by a request: plateau"));
}

TEST_CASE("ending: a request in the last step of an epoch lets the epoch end and the next begin") {
  Ending end;
  end.culprit.after_run = [&](broch_run) { return request_stop(end.culprit.host, "plateau"); };
  CHECK(end.rig.train(1, 3) == base::Exit::ok);
  CHECK(end.trace == Trace{"before_train 0,-1,0", "before_epoch 1,-1,0", "before_run 1,0,0",
                           "after_run 1,0,1", "trigger_step 1,0,1", "after_epoch 1,0,1",
                           "trigger_epoch 1,0,1", "before_epoch 2,0,1", "after_train 2,0,1"});
}

TEST_CASE("ending: a step of two hooked runs is completed after a request to stop") {
  Ending end;
  end.culprit.after_run = [&](broch_run) { return request_stop(end.culprit.host, "plateau"); };
  end.rig.trainer.step = [&] {
    const broch_status first = end.rig.trainer.run();
    return first ? first : end.rig.trainer.run();
  };
  CHECK(end.rig.train(2, 2) == base::Exit::ok);
  CHECK(end.rig.progress.global_step == 2);
  CHECK(end.last() == "after_train 1,1,2");
  CHECK(end.log.has("Training was stopped by a request: plateau"));
}

TEST_CASE("ending: a failure is told, after_train comes for all, and it goes on to the caller") {
  Ending end;
  end.culprit.before_train = [&] { return end.fail(BROCH_E_NUMBERS, "not finite"); };
  end.culprit.after_train = [&] { return end.fail(BROCH_E_INTERNAL, "also this"); };
  try {
    end.rig.train(2, 2);
    FAIL("no failure");
  } catch (const base::Error& error) {
    CHECK(error.exit() == base::Exit::numbers);
    CHECK(std::string(error.what()).find("not finite") != std::string::npos);
  }
  CHECK(end.trace == Trace{"after_train 0,-1,0"});
  CHECK(end.log.has("Training failed at global_step=0"));
  CHECK(end.log.has("after_train of culprit failed"));
  CHECK(end.log.has("also this"));
}

TEST_CASE("ending: a failing after_run skips the later ones") {
  Ending end;
  end.culprit.after_run = [&](broch_run) { return end.fail(BROCH_E_INTERNAL, "broken"); };
  CHECK_THROWS_AS(end.rig.train(1, 1), base::Error);
  CHECK(!end.saw("after_run"));
  CHECK(end.saw("after_train"));
}

TEST_CASE("ending: the first signal ends at a step boundary") {
  for (const bool saves : {false, true}) {
    for (const int signal : {SIGINT, SIGTERM}) {
      Ending end;
      end.culprit.after_run = [&](broch_run) {
        end.rig.interrupt.raise(signal);
        return broch_status{BROCH_OK};
      };
      end.rig.prepare();
      train::MainLoop main;
      main.config = {2, 1, 2};
      std::optional<train::Position> saved;
      main.on_interrupt = [&] {
        saved = end.rig.run->position();
        return saves;
      };
      const base::Exit exit = end.rig.run->main_loop(main);
      const base::Exit unsaved =
          signal == SIGINT ? base::Exit::interrupted : base::Exit::terminated;
      CHECK(exit == (saves ? base::Exit::saved : unsaved));
      CHECK(saved == train::Position{1, 1});
      CHECK(end.last() == "after_train 1,0,1");
      CHECK(end.log.has("Detected Ctrl-C and exiting main loop.") == (signal == SIGINT));
      CHECK(end.log.has("and exiting main loop."));
    }
  }
}

TEST_CASE("ending: a signal wakes a wait for input, and nothing is changed") {
  Ending end;
  end.rig.input.before_next = [&](int64_t number, const broch_cancel* cancel) {
    if (number < 2) return broch_status{BROCH_OK};
    end.rig.interrupt.raise(SIGINT);
    return broch_status{cancel->wait(cancel->context, 60'000'000'000) ? BROCH_CANCELLED : BROCH_OK};
  };
  CHECK(end.rig.train(2, 2) == base::Exit::interrupted);
  CHECK(end.rig.progress.global_step == 1);
  CHECK(end.rig.run->position() == train::Position{1, 1});
  CHECK(end.rig.run->cursors() == plan::Cursors{"1"});
}

TEST_CASE("ending: a signal may end a wait of the trainer's own, before the step has begun") {
  Ending end;
  test::Trainer& trainer = end.rig.trainer;
  const auto wait = [&] {
    const broch_cancel* cancel =
        test::extension<broch_host_data_point>(trainer.host, BROCH_EXT_DATA_POINT)
            ->cancel(trainer.host);
    end.rig.interrupt.raise(SIGTERM);
    return broch_status{cancel->wait(cancel->context, 60'000'000'000) ? BROCH_CANCELLED : BROCH_OK};
  };
  SUBCASE("nothing was done: the step is repeated") {
    trainer.step = [&] { return end.rig.progress.global_step == 1 ? wait() : trainer.run(); };
    CHECK(end.rig.train(2, 2) == base::Exit::terminated);
    CHECK(end.rig.progress.global_step == 1);
    CHECK(end.rig.run->position() == train::Position{1, 1});
    CHECK(end.last() == "after_train 1,1,1");
  }
  SUBCASE("after a run") {
    trainer.step = [&] { return trainer.run() == BROCH_OK ? wait() : BROCH_STOP; };
    CHECK_THROWS_WITH_AS(end.rig.train(2, 2),
                         doctest::Contains("BROCH_CANCELLED from a run_step that has run a plan"),
                         base::Error);
  }
  SUBCASE("without a signal") {
    trainer.step = [] { return broch_status{BROCH_CANCELLED}; };
    CHECK_THROWS_WITH_AS(end.rig.train(2, 2),
                         doctest::Contains("trainer 'trainer' (test.trainer): BROCH_CANCELLED "
                                           "without a signal, expected BROCH_OK"),
                         base::Error);
  }
}

TEST_CASE("ending: a signal that ends a wait in a hook lets a step that has begun be completed") {
  Ending end;
  end.rig.trainer.step = [&] {
    const broch_status first = end.rig.trainer.run();
    return first ? first : end.rig.trainer.run();
  };
  int calls = 0, ends = 0;
  const auto wait = [&] {
    if (++calls != ends) return broch_status{BROCH_OK};
    end.rig.interrupt.raise(SIGINT);
    return broch_status{BROCH_CANCELLED};
  };
  SUBCASE("after_run of the first run") {
    ends = 1;
    end.culprit.after_run = [&](broch_run) { return wait(); };
  }
  SUBCASE("before_run of the second run") {
    ends = 2;
    end.culprit.before_run = [&](broch_run, uint64_t*) { return wait(); };
  }
  CHECK(end.rig.train(2, 2) == base::Exit::interrupted);
  CHECK(end.rig.progress.global_step == 2);
  CHECK(end.rig.run->position() == train::Position{1, 1});
}

TEST_CASE("ending: a save that fails on a signal is told and costs the exact resume") {
  Ending end;
  end.culprit.trigger_step = [&] {
    end.rig.interrupt.raise(SIGINT);
    return broch_status{BROCH_OK};
  };
  end.rig.prepare();
  train::MainLoop main;
  main.config = {2, 1, 2};
  main.on_interrupt = []() -> bool { throw std::runtime_error("disk full"); };
  CHECK(end.rig.run->main_loop(main) == base::Exit::interrupted);
  CHECK(end.log.has("saving on a signal failed: disk full"));
}

TEST_CASE("interrupt: the handler takes the signal and gives it back") {
  plan::Interrupt interrupt;
  interrupt.install();
  CHECK(!interrupt.raised());
  std::raise(SIGTERM);
  CHECK(interrupt.signal() == SIGTERM);
  CHECK(interrupt.token()->cancelled(interrupt.token()->context) == 1);
  plan::Interrupt second;
  CHECK_THROWS_AS(second.install(), base::Error);
}

TEST_CASE("interrupt: where ranks have agreed on the end, a signal to this rank is its first") {
  plan::Interrupt interrupt;
  interrupt.install(/*one_of_several=*/true);
  interrupt.agree(plan::kSignalled);
  CHECK(interrupt.raised());
  CHECK(!interrupt.announced());
  std::raise(SIGTERM);  // a second one would end this process
  CHECK(interrupt.announced());
}
