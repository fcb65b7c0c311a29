// guard.hpp: how the host calls a plugin: breadcrumb, scope for handles, exception barrier, status
// check.
//
// All calls of plugins go through here, every hook of every step too, so the cost matters: a call
// that succeeds makes no allocation, takes no lock and handles no strings. For the other direction,
// a plugin calling a host function, see serve.hpp.
#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include "abi/crash.hpp"
#include "abi/environment.hpp"
#include "abi/instance.hpp"
#include "abi/serve.hpp"
#include "abi/thread.hpp"
#include "base/error.hpp"
#include "base/fp_control.hpp"

namespace broch::abi {

// The outcomes that an entry may return besides BROCH_OK, as bits 1 << status.
enum Outcomes : uint32_t {
  kOnlyOk = 0,
  kMayStop = 1u << BROCH_STOP,
  kMayEnd = 1u << BROCH_END,
  kMayCancel = 1u << BROCH_CANCELLED,
  kMayBeNone = 1u << BROCH_NONE,
};
constexpr Outcomes operator|(Outcomes a, Outcomes b) { return Outcomes(uint32_t(a) | uint32_t(b)); }

// Sets up one call of a plugin and cleans up after it; `invoke` makes one on the stack.
class Entry {
 public:
  Entry(Instance& instance, const char* hook, Role role)
      : thread_(prepared_thread()),
        crumb_{.instance = &instance,
               .hook = hook,
               .outer = thread_.top,
               .messages = thread_.messages,
               .role = role},
        mark_(thread_.arena->mark()) {
    thread_.top = &crumb_;
  }
  ~Entry() {
    if (crumb_.scopes) [[unlikely]]
      thread_.arena->forget_marks(crumb_.scopes);
    thread_.arena->cut(mark_);
    thread_.top = crumb_.outer;
  }
  // True if the call did not return through the frames of the calls inside it (longjmp), or
  // returned in another process (fork).
  bool astray() const { return thread_.top != &crumb_; }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

 private:
  ThreadState& thread_;
  Breadcrumb crumb_;
  const size_t mark_;
};

// The exception for a failure of a plugin. what() names the instance and the hook. If a parent
// passes on a failure of its child, it is the child that is named.
class PluginError : public base::Error {
 public:
  PluginError(base::Exit exit, const base::Diagnostic& diagnostic, broch_status status)
      : Error(exit, diagnostic), status_(status) {}
  PluginError(base::Exit exit, const std::string& message, broch_status status)
      : Error(exit, message), status_(status) {}
  broch_status status() const { return status_; }  // INTERNAL for a violation

 private:
  broch_status status_;
};

// The error for a violation of the interface: "… violated the interface: found, expected …".
PluginError violation(const Instance& instance, const std::string& found,
                      const std::string& expected);

// Returns a status >= 0 that is allowed, or throws PluginError with the plugin's own message. The
// exit code is:
//   numbers      for BROCH_E_NUMBERS
//   memory       for BROCH_E_RESOURCE_EXHAUSTED
//   data         for BROCH_E_DATA_LOSS from a data source or sink
//   manifest     for BROCH_E_INVALID_ARGUMENT in create
//   plugin       for other failures in create
//   training     for all others
// If the plugin passes on the failure of a host function, that function's exit code stays. A status
// >= 0 that `outcomes` does not allow is a violation of the interface. REQUIRES: called inside the
// Entry of the call.
broch_status check_status(Instance& instance, const char* hook, broch_status status,
                          Outcomes outcomes);
// The same after a call that changed floating-point control, which is restored first. This is a
// violation, unless the call failed anyway.
broch_status check_changed_fp(Instance& instance, const char* hook, broch_status status,
                              Outcomes outcomes, const base::FpControl& before);
// Handles a call for which astray() is true. A longjmp over frames of the host is a violation. A
// child process that the plugin forked ends here, so that it does not continue as a second run.
[[noreturn]] void came_back_astray(Instance& instance, const char* hook);
// Rethrows an exception that escaped from a plugin as PluginError, and base::Error, which only the
// host throws, as it is. Called in catch (...).
[[noreturn]] void plugin_threw(Instance& instance, const char* hook);

// Calls a plugin through the guard:
//   invoke(instance, "trigger", Role::main, kMayStop, [&] { return table->trigger(self); })
// Inlined, since it costs 75 instructions around a hook that succeeds, and 25 more as a function.
template <class Call>
[[gnu::always_inline]] inline broch_status invoke(Instance& instance, const char* hook, Role role,
                                                  Outcomes outcomes, Call&& call) {
  const base::FpControl before;
  const Entry entry(instance, hook, role);
  broch_status status;
  try {
    status = std::forward<Call>(call)();
  } catch (...) {
    before.restore();
    plugin_threw(instance, hook);
  }
  if (entry.astray()) [[unlikely]]
    came_back_astray(instance, hook);
  if (base::FpControl() != before) [[unlikely]]
    return check_changed_fp(instance, hook, status, outcomes, before);
  if (status == BROCH_OK) [[likely]]
    return status;
  return check_status(instance, hook, status, outcomes);
}

}  // namespace broch::abi
