// scope_test.cpp: pushed scopes, announced threads, and from where host functions may be called.
#include "broch/ext/scope.h"

#include <doctest/doctest.h>

#include <semaphore>
#include <thread>

#include "base/log.hpp"
#include "broch/ext/config.h"
#include "probe.hpp"

using namespace broch;
using namespace broch::abi;
using broch::test::Probe;
using broch::test::World;

namespace {

broch_status any_function(const broch_host* host) {
  return serve(host, "broch.test/1 any", kAnyRole, [](Instance&) { return BROCH_OK; });
}
broch_status main_function(const broch_host* host) {
  return serve(host, "broch.test/1 main", Role::main, [](Instance&) { return BROCH_OK; });
}
broch_status step_or_data_function(const broch_host* host) {
  return serve(host, "broch.test/1 both", Role::step | Role::data,
               [](Instance&) { return BROCH_OK; });
}

struct ScopeFixture {
  World world;
  Probe probe;
  std::unique_ptr<Instance> instance = world.make(probe, "x");
  const broch_host_scope* scope = probe.extension<broch_host_scope>(BROCH_EXT_SCOPE);

  void during(Role role, const std::function<void()>& body) {
    invoke(*instance, "hook", role, kOnlyOk, [&] {
      body();
      return BROCH_OK;
    });
  }
  std::string why() const { return probe.host->last_error(probe.host); }
};

}  // namespace

TEST_CASE_FIXTURE(ScopeFixture, "scope: pop ends what was made since push, in nested order") {
  during(Role::main, [&] {
    Arena& arena = Arena::of_this_thread();
    int object = 0;
    const char* why = nullptr;
    const uint64_t outer = arena.add(Kind::tensor, {&object}, 0);
    CHECK(scope->push(probe.host) == BROCH_OK);
    const uint64_t middle = arena.add(Kind::tensor, {&object}, 0);
    CHECK(scope->push(probe.host) == BROCH_OK);
    const uint64_t inner = arena.add(Kind::tensor, {&object}, 0);
    CHECK(scope->pop(probe.host) == BROCH_OK);
    CHECK_FALSE(arena.find(inner, Kind::tensor, 0, &why));
    CHECK(arena.find(middle, Kind::tensor, 0, &why));
    CHECK(scope->pop(probe.host) == BROCH_OK);
    CHECK_FALSE(arena.find(middle, Kind::tensor, 0, &why));
    CHECK(arena.find(outer, Kind::tensor, 0, &why));
    CHECK(scope->pop(probe.host) == BROCH_E_FAILED_PRECONDITION);
    CHECK(this->why() == "broch.scope/1 pop: no scope was pushed in this call");
  });
}

TEST_CASE_FIXTURE(ScopeFixture, "scope: a call cannot pop the scopes of the call around it") {
  Probe other;
  const auto inner = world.make(other, "inner");
  other.on_hook = [&](auto&) {
    CHECK(scope->pop(other.host) == BROCH_E_FAILED_PRECONDITION);
    CHECK(scope->push(other.host) == BROCH_OK);  // left open
    return BROCH_OK;
  };
  during(Role::main, [&] {
    CHECK(scope->push(probe.host) == BROCH_OK);
    Callback::make(*inner).trigger();
    CHECK(scope->pop(probe.host) == BROCH_OK);
    CHECK(scope->pop(probe.host) == BROCH_E_FAILED_PRECONDITION);
  });
}

TEST_CASE_FIXTURE(ScopeFixture, "serve: a function is refused from another role, naming both") {
  during(Role::data, [&] {
    CHECK(main_function(probe.host) == BROCH_E_FAILED_PRECONDITION);
    CHECK(why() ==
          "broch.test/1 main: called during hook, which is [data]; it may be called as [main]");
    CHECK(step_or_data_function(probe.host) == BROCH_OK);
    CHECK(any_function(probe.host) == BROCH_OK);
  });
  during(Role::main, [&] {
    CHECK(main_function(probe.host) == BROCH_OK);
    CHECK(step_or_data_function(probe.host) == BROCH_E_FAILED_PRECONDITION);
    CHECK(why().find("it may be called as [step] or [data]") != std::string::npos);
  });
}

TEST_CASE_FIXTURE(ScopeFixture, "serve: an unannounced thread is told of thread_enter") {
  std::thread([&] {
    CHECK(any_function(probe.host) == BROCH_E_FAILED_PRECONDITION);
    CHECK(why().find("calls thread_enter of broch.scope/1 first") != std::string::npos);
    CHECK(scope->push(probe.host) == BROCH_E_FAILED_PRECONDITION);
    // Neither of these makes a handle.
    CHECK(probe.host->fail(probe.host, BROCH_E_ABORTED, "mine") == BROCH_E_ABORTED);
    CHECK(why() == "mine");
    CHECK(probe.extension<broch_host_config>(BROCH_EXT_CONFIG)->kind(probe.host, "") ==
          BROCH_CONFIG_OBJECT);
  }).join();
}

TEST_CASE_FIXTURE(ScopeFixture, "scope: an announced thread has role data until it leaves") {
  int object = 0;
  std::thread([&] {
    CHECK(scope->thread_leave(probe.host) == BROCH_E_FAILED_PRECONDITION);
    CHECK(scope->thread_enter(probe.host, "loader") == BROCH_OK);
    CHECK(scope->thread_enter(probe.host, "again") == BROCH_E_FAILED_PRECONDITION);
    CHECK(why().find("announced already") != std::string::npos);
    CHECK(any_function(probe.host) == BROCH_OK);
    CHECK(step_or_data_function(probe.host) == BROCH_OK);
    CHECK(main_function(probe.host) == BROCH_E_FAILED_PRECONDITION);
    CHECK(why().find("called during loader, which is [data]") != std::string::npos);
    CHECK(scope->push(probe.host) == BROCH_OK);
    const uint64_t handle = Arena::of_this_thread().add(Kind::tensor, {&object}, 0);
    CHECK(scope->thread_leave(probe.host) == BROCH_OK);
    const char* reason = nullptr;
    CHECK_FALSE(Arena::of_this_thread().find(handle, Kind::tensor, 0, &reason));
    CHECK(any_function(probe.host) == BROCH_E_FAILED_PRECONDITION);
    CHECK(scope->thread_enter(probe.host, "gr\xfcn") == BROCH_OK);
    CHECK(std::string(thread_state().top->hook) == "gr\xef\xbf\xbdn");
    CHECK(scope->thread_leave(probe.host) == BROCH_OK);
    CHECK(scope->thread_enter(probe.host, nullptr) == BROCH_OK);  // ends without leaving
  }).join();
}

TEST_CASE_FIXTURE(ScopeFixture, "scope: the host's own threads cannot announce themselves") {
  during(Role::main, [&] {
    CHECK(scope->thread_enter(probe.host, "t") == BROCH_E_FAILED_PRECONDITION);
    CHECK(why().find("the host's, in hook") != std::string::npos);
  });
}

TEST_CASE_FIXTURE(ScopeFixture, "scope: a thread that outlives its instance is answered") {
  std::binary_semaphore entered{0};
  std::thread thread([&] {
    CHECK(scope->thread_enter(probe.host, "late") == BROCH_OK);
    entered.release();
    while (Instance::of(probe.host)) std::this_thread::yield();
    CHECK(any_function(probe.host) == BROCH_E_INVALID_ARGUMENT);
    CHECK(scope->thread_leave(probe.host) == BROCH_E_INVALID_ARGUMENT);
  });
  entered.acquire();
  base::set_log_level(base::Level(5));
  instance.reset();
  base::set_log_level(base::Level::info);
  thread.join();
}
