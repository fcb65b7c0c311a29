// crash_test.cpp: the last line of a process that a plugin kills.
#include "abi/crash.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>
#include <signal.h>

#include <cstdlib>
#include <thread>

#include "broch/ext/scope.h"
#include "in_child.hpp"
#include "probe.hpp"

using namespace broch;
using broch::test::Death;
using broch::test::in_child;
using broch::test::Probe;
using broch::test::World;

namespace {

struct CrashFixture {
  World world;
  Probe probe;
  std::unique_ptr<abi::Instance> instance = world.make(probe, "x");

  Death dying(const std::function<void()>& body) {
    return in_child([&] {
      abi::install_crash_handler();
      probe.on_hook = [&](auto&) {
        body();
        return BROCH_OK;
      };
      abi::Callback::make(*instance).trigger_step();
    });
  }
};

[[gnu::noinline]] int use_up_the_stack(int depth) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : use_up_the_stack(depth + 1) + frame[0];
}

// Of a library that stands for a plugin.
using Sincos = void (*)(double, double*, double*);
Sincos code_of_plugin() {
  const auto found = reinterpret_cast<Sincos>(dlsym(RTLD_DEFAULT, "sincos"));
  abi::note_library(reinterpret_cast<const void*>(found), "/plugins/sincos.so");
  return found;
}

// With an address in that library on the stack, as returned calls leave them there.
[[gnu::noinline]] void die_above(Sincos code) {
  volatile uintptr_t left[64];
  for (volatile uintptr_t& word : left) word = reinterpret_cast<uintptr_t>(code);
  raise(SIGSEGV);
  CHECK(left[63] != 0);
}

}  // namespace

TEST_CASE_FIXTURE(CrashFixture, "crash: the line names signal, instance, hook and file") {
  const std::string where =
      " in callback 'x' (test.probe) during trigger_step, file /plugins/probe.so";
  for (const auto& [number, name] : {std::pair{SIGSEGV, "SIGSEGV"},
                                     {SIGFPE, "SIGFPE"},
                                     {SIGBUS, "SIGBUS"},
                                     {SIGILL, "SIGILL"}}) {
    const Death death = dying([number = number] { raise(number); });
    CHECK(death.signal == number);
    const char* const hint = number == SIGBUS ? "; was a file cut short while it was read?" : "";
    CHECK(death.text == std::string("broch: ") + name + where + hint + "\n");
  }
  const Death aborted = dying([] { std::abort(); });
  CHECK(aborted.signal == SIGABRT);
  CHECK(aborted.text == "broch: SIGABRT" + where + "\n");
}

TEST_CASE_FIXTURE(CrashFixture, "crash: a wild pointer is named") {
  volatile uintptr_t nowhere = 8;
  const Death death = dying([&] { *reinterpret_cast<volatile int*>(nowhere) = 1; });
  CHECK(death.signal == SIGSEGV);
  CHECK(death.text.find("broch: SIGSEGV in callback 'x'") != std::string::npos);
}

TEST_CASE_FIXTURE(CrashFixture, "crash: a stack that ran out is named, on every thread") {
  const Death death = dying([] { use_up_the_stack(0); });
  CHECK(death.signal == SIGSEGV);
  CHECK(death.text.find("during trigger_step") != std::string::npos);
  const Death elsewhere = in_child([&] {
    abi::install_crash_handler();
    std::thread([&] {
      probe.on_hook = [](auto&) { return use_up_the_stack(0); };
      abi::Callback::make(*instance).before_epoch();
    }).join();
  });
  CHECK(elsewhere.signal == SIGSEGV);
  CHECK(elsewhere.text.find("during before_epoch") != std::string::npos);
}

TEST_CASE_FIXTURE(CrashFixture, "crash: a plugin's own thread is told by its name") {
  const auto* scope = probe.extension<broch_host_scope>(BROCH_EXT_SCOPE);
  const Death death = in_child([&] {
    abi::install_crash_handler();
    std::thread([&] {
      scope->thread_enter(probe.host, "loader");
      raise(SIGSEGV);
    }).join();
  });
  CHECK(death.text ==
        "broch: SIGSEGV in callback 'x' (test.probe) on its thread 'loader', file "
        "/plugins/probe.so\n");
}

TEST_CASE_FIXTURE(CrashFixture, "crash: loading and the host itself are told apart") {
  const Death loading = in_child([] {
    abi::install_crash_handler();
    abi::note_loading("loading", "/plugins/bad.so");
    raise(SIGSEGV);
  });
  CHECK(loading.text == "broch: SIGSEGV while loading /plugins/bad.so\n");
  const Death host = in_child([] {
    abi::install_crash_handler();
    abi::note_loading("loading", "/plugins/good.so");
    abi::note_loading(nullptr, nullptr);
    raise(SIGABRT);
  });
  CHECK(host.signal == SIGABRT);
  CHECK(host.text == "broch: SIGABRT outside of plugins\n");
}

TEST_CASE_FIXTURE(CrashFixture,
                  "crash: on a thread of the host, words left on the stack name nobody") {
  const Death main = in_child([] {
    abi::install_crash_handler();
    die_above(code_of_plugin());
  });
  CHECK(main.text == "broch: SIGSEGV outside of plugins\n");
  const Death other = in_child([&] {
    abi::install_crash_handler();
    std::thread([&] {
      abi::Callback::make(*instance).before_epoch();
      die_above(code_of_plugin());
    }).join();
  });
  CHECK(other.text == "broch: SIGSEGV outside of plugins\n");
}

TEST_CASE_FIXTURE(CrashFixture,
                  "crash: on a thread of a plugin, the nearest of these words counts") {
  const char* const expected =
      "broch: SIGSEGV in code of /plugins/sincos.so, on a thread that was not announced\n";
  const Death never = in_child([] {
    abi::install_crash_handler();
    std::thread([] { die_above(code_of_plugin()); }).join();
  });
  CHECK(never.text == expected);
  const auto* scope = probe.extension<broch_host_scope>(BROCH_EXT_SCOPE);
  const Death no_longer = in_child([&] {
    abi::install_crash_handler();
    std::thread([&] {
      scope->thread_enter(probe.host, "loader");
      scope->thread_leave(probe.host);
      die_above(code_of_plugin());
    }).join();
  });
  CHECK(no_longer.text == expected);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // whose sincos is their own
TEST_CASE("crash: an instruction of a plugin is told outside of calls, too") {
  const Death death = in_child([] {
    abi::install_crash_handler();
    code_of_plugin()(1, nullptr, nullptr);
  });
  CHECK(death.text == "broch: SIGSEGV in code of /plugins/sincos.so, outside of calls\n");
}
#endif
