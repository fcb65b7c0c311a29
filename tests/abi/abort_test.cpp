// abort_test.cpp: BROCH_ABORT_ON_ERROR ends the process inside the plugin that fails.
#include <doctest/doctest.h>
#include <signal.h>

#include <cstdlib>

#include "abi/crash.hpp"
#include "in_child.hpp"
#include "probe.hpp"

using namespace broch;
using broch::test::Death;
using broch::test::in_child;
using broch::test::Probe;
using broch::test::World;

namespace {

struct AbortFixture {
  World world;
  Probe probe;
  std::unique_ptr<abi::Instance> instance = world.make(probe, "x");

  // The variable as the environment has it; answers what a hook returns, after body.
  Death after(const char* variable, const std::function<broch_status()>& hook) {
    return in_child([&] {
      setenv("BROCH_ABORT_ON_ERROR", variable, 1);
      abi::install_crash_handler();
      probe.on_hook = [&](auto&) { return hook(); };
      try {
        abi::Callback::make(*instance).trigger_step();
      } catch (const base::Error&) {
        _exit(1);
      }
    });
  }
  broch_status fail() { return probe.host->fail(probe.host, BROCH_E_INTERNAL, "too late"); }
};

bool holds(const Death& death, const char* text) {
  return death.text.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE_FIXTURE(AbortFixture, "abort on error: fail does not return") {
  const Death death = after("1", [this] {
    fail();
    _exit(7);
    return BROCH_OK;
  });
  CHECK(death.signal == SIGABRT);
  CHECK(holds(death, "too late; aborting, as BROCH_ABORT_ON_ERROR asks for"));
  CHECK(holds(death, "broch: SIGABRT in callback 'x' (test.probe) during trigger_step"));
}

TEST_CASE_FIXTURE(AbortFixture,
                  "abort on error: so does a status without a reason, and a wrong one") {
  CHECK(after("1", [] { return BROCH_E_INTERNAL; }).signal == SIGABRT);
  CHECK(after("1", [] { return broch_status{30}; }).signal == SIGABRT);
}

TEST_CASE_FIXTURE(AbortFixture, "abort on error: a stop is no failure, and nothing dies unasked") {
  CHECK(after("1", [] { return BROCH_STOP; }).exit == 0);
  for (const char* off : {"", "0"}) CHECK(after(off, [this] { return fail(); }).exit == 1);
}
