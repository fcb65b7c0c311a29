// guard_test.cpp: what a plugin can answer, throw and leave behind.
#include "abi/guard.hpp"

#include <doctest/doctest.h>

#include <cfenv>
#include <stdexcept>

#include "broch/ext/scope.h"
#include "probe.hpp"
#include "value/json.hpp"

using namespace broch;
using namespace broch::abi;
using broch::test::error_of;
using broch::test::Probe;
using broch::test::World;

namespace {

struct GuardFixture {
  World world;
  Probe probe;
  std::unique_ptr<Instance> instance = world.make(probe, "x");

  // What trigger_step ends in when it does this.
  std::string outcome(std::function<broch_status(const std::string&)> body) {
    probe.on_hook = std::move(body);
    const std::string error = error_of([&] { Callback::make(*instance).trigger_step(); });
    probe.on_hook = nullptr;
    return error;
  }
};

}  // namespace

TEST_CASE_FIXTURE(GuardFixture, "guard: the reason a plugin gave is told with its names") {
  CHECK(outcome([&](auto&) {
          return probe.host->fail(probe.host, BROCH_E_INVALID_ARGUMENT, "patience is 0");
        }) == "1: callback 'x' (test.probe) failed in trigger_step: patience is 0");
}

TEST_CASE_FIXTURE(GuardFixture, "guard: a reason that is no UTF-8 is told in UTF-8") {
  CHECK(outcome([&](auto&) { return probe.host->fail(probe.host, BROCH_E_INTERNAL, "gr\xfcn"); }) ==
        "1: callback 'x' (test.probe) failed in trigger_step: gr\xef\xbf\xbdn");
  CHECK(outcome([](auto&) -> broch_status {
          throw std::runtime_error("gr\xfcn");
        }).find("(\"gr\xef\xbf\xbdn\")") != std::string::npos);
}

TEST_CASE_FIXTURE(GuardFixture,
                  "guard: a failure without a reason is told as the plugin's mistake") {
  const std::string error = outcome([](auto&) { return BROCH_E_INTERNAL; });
  CHECK(error.find("failed in trigger_step: no reason, only status -13 (INTERNAL), expected a "
                   "reason given through host->fail") != std::string::npos);
}

TEST_CASE_FIXTURE(GuardFixture,
                  "guard: the reason of an earlier call is not taken for this one's") {
  outcome([&](auto&) { return probe.host->fail(probe.host, BROCH_E_INTERNAL, "earlier"); });
  const std::string error = outcome([](auto&) { return BROCH_E_INTERNAL; });
  CHECK(error.find("earlier") == std::string::npos);
}

TEST_CASE_FIXTURE(GuardFixture, "guard: a passed on status of a host function brings its reason") {
  const auto fails = [](const broch_host* host) {
    return serve(host, "broch.test/1 f", kAnyRole, [](Instance&) -> broch_status {
      throw base::Error(base::Exit::collective, "rank 3 is lost");
    });
  };
  CHECK(outcome([&](auto&) { return fails(probe.host); }) ==
        "8: callback 'x' (test.probe) failed in trigger_step: rank 3 is lost");
  // A handled failure is no reason for another one.
  const std::string other = outcome([&](auto&) {
    fails(probe.host);
    return BROCH_E_ABORTED;
  });
  CHECK(other.find("no reason, only status -10") != std::string::npos);
}

TEST_CASE_FIXTURE(GuardFixture, "guard: statuses end in their exit codes") {
  const auto exit_of = [&](broch_status status) {
    return outcome([&](auto&) { return probe.host->fail(probe.host, status, "m"); }).substr(0, 2);
  };
  CHECK(exit_of(BROCH_E_NUMBERS) == "6:");
  CHECK(exit_of(BROCH_E_RESOURCE_EXHAUSTED) == "7:");
  CHECK(exit_of(BROCH_E_DATA_LOSS) == "1:");
  CHECK(exit_of(BROCH_E_NOT_FOUND) == "1:");
  CHECK(exit_of(-77) == "1:");
}

TEST_CASE_FIXTURE(GuardFixture, "guard: what a host function refused can be an option's fault") {
  InstanceSpec spec;
  spec.name = "y";
  spec.options = value::parse_text("options", R"({"kernel": 20})");
  instance = world.make(probe, std::move(spec));
  const auto exit_of = [&](const std::string& text) {
    return outcome([&](auto&) {
             serve(probe.host, "broch.test/1 f", kAnyRole, [](Instance&) -> broch_status {
               throw CallError{BROCH_E_INVALID_ARGUMENT, "kernel is larger than image"};
             });
             return probe.host->fail(probe.host, BROCH_E_INVALID_ARGUMENT, text.c_str());
           })
        .substr(0, 2);
  };
  CHECK(exit_of("/kernel: kernel is larger than image") == "3:");
  CHECK(exit_of("/other: kernel is larger than image") == "1:");
  CHECK(exit_of("kernel is larger than image") == "1:");
}

TEST_CASE_FIXTURE(GuardFixture, "guard: an outcome that the entry does not list is a violation") {
  const std::string error = outcome([](auto&) { return 7; });
  CHECK(error.find("1: callback 'x' (test.probe) violated the interface: returned 7 from "
                   "trigger_step, expected 0, 2 (STOP), 3 (CANCELLED) or a failure") == 0);
  CHECK(error.find("/plugins/probe.so") != std::string::npos);
  for (const broch_status status : {1, 4, 31, 32, 33, 34, 1 << 30, INT32_MAX})
    CHECK(outcome([&](auto&) { return status; }).find("violated") != std::string::npos);
  CHECK(outcome([](auto&) { return BROCH_STOP; }) == "");
  CHECK(outcome([](auto&) { return INT32_MIN; }).find("no reason") != std::string::npos);
}

TEST_CASE_FIXTURE(GuardFixture, "guard: an exception that escapes names its type and the hook") {
  CHECK(outcome([](auto&) -> broch_status { throw std::runtime_error("oh"); })
            .find("1: callback 'x' (test.probe) violated the interface: let "
                  "std::runtime_error(\"oh\") escape from trigger_step") == 0);
  CHECK(outcome([](auto&) -> broch_status { throw 5; }).find("let int escape") !=
        std::string::npos);
  CHECK(thread_state().top == nullptr);
}

TEST_CASE_FIXTURE(GuardFixture,
                  "guard: changed floating-point control is restored and a violation") {
  const base::FpControl before;
  CHECK(outcome([](auto&) {
          std::fesetround(FE_UPWARD);
          return BROCH_OK;
        }).find("left floating-point control changed") != std::string::npos);
  CHECK(base::FpControl() == before);
#if defined(__x86_64__)
  CHECK(outcome([](auto&) {
          _mm_setcsr(_mm_getcsr() | 0x8040);  // flush to zero, denormals are zero
          return BROCH_STOP;
        }).find("after trigger_step") != std::string::npos);
  CHECK(base::FpControl() == before);
  CHECK(outcome([](auto&) -> broch_status {
          _mm_setcsr(_mm_getcsr() | 0x8040);
          throw 1;
        }).find("let int escape") != std::string::npos);
  CHECK(base::FpControl() == before);
  CHECK(outcome([](auto&) {
          _mm_setcsr(_mm_getcsr() | 0x20);  // a status flag is what computing leaves behind
          return BROCH_OK;
        }) == "");
#endif
  CHECK(outcome([](auto&) {
          feenableexcept(FE_DIVBYZERO);
          return BROCH_OK;
        }).find("left floating-point control changed") != std::string::npos);
}

TEST_CASE_FIXTURE(GuardFixture, "guard: handles made during a call die at its return") {
  int object = 0;
  uint64_t handle = 0;
  const size_t before = Arena::of_this_thread().mark();
  CHECK(outcome([&](auto&) {
          handle = Arena::of_this_thread().add(Kind::tensor, {&object}, 0);
          probe.extension<broch_host_scope>(BROCH_EXT_SCOPE)->push(probe.host);
          Arena::of_this_thread().add(Kind::tensor, {&object}, 0);
          return BROCH_OK;
        }) == "");
  const char* why = nullptr;
  CHECK_FALSE(Arena::of_this_thread().find(handle, Kind::tensor, 0, &why));
  CHECK(Arena::of_this_thread().mark() == before);
}

TEST_CASE_FIXTURE(GuardFixture, "guard: the breadcrumb names the innermost call") {
  Probe other;
  const auto inner = world.make(other, "inner");
  std::string outside, inside;
  other.on_hook = [&](auto&) {
    inside = thread_state().top->instance->name() + " " + thread_state().top->hook;
    return BROCH_OK;
  };
  outcome([&](auto&) {
    Callback::make(*inner).before_epoch();
    outside = thread_state().top->instance->name() + " " + thread_state().top->hook;
    return BROCH_OK;
  });
  CHECK(inside == "inner before_epoch");
  CHECK(outside == "x trigger_step");
  CHECK(thread_state().top == nullptr);
}
