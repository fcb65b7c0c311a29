// guard.hpp: the one way into a plugin: breadcrumb, scope, exception barrier, status check.
//
// Cost matters: this surrounds every hook of every step. The success path has no allocation, no
// lock and no string work. The way out of a plugin, into a host function, is serve.hpp.
#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include "abi/crash.hpp"
#include "abi/environment.hpp"
#include "abi/fp_control.hpp"
#include "abi/instance.hpp"
#include "abi/serve.hpp"
#include "abi/thread.hpp"
#include "base/error.hpp"

namespace broch::abi {

// Outcomes an entry may answer besides BROCH_OK, as bits 1 << status.
enum Outcomes : uint32_t {
  kOnlyOk = 0,
  kMayStop = 1u << BROCH_STOP,
  kMayEnd = 1u << BROCH_END,
  kMayCancel = 1u << BROCH_CANCELLED,
  kMayBeNone = 1u << BROCH_NONE,
};
constexpr Outcomes operator|(Outcomes a, Outcomes b) { return Outcomes(uint32_t(a) | uint32_t(b)); }

// Opens the border for one call; made on the stack by invoke.
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
  // The call did not come back through the frames of the calls inside it, or came back elsewhere.
  bool astray() const { return thread_.top != &crumb_; }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

 private:
  ThreadState& thread_;
  Breadcrumb crumb_;
  const size_t mark_;
};

// What a plugin's failure is thrown as. what() names instance and hook; the innermost instance
// when a parent passes on what its child answered.
class PluginError : public base::Error {
 public:
  PluginError(base::Exit exit, const base::Diagnostic& diagnostic, broch_status status)
      : Error(exit, diagnostic), status_(status) {}
  PluginError(base::Exit exit, const std::string& message, broch_status status)
      : Error(exit, message), status_(status) {}
  broch_status status() const { return status_; }  // the plugin's; INTERNAL for violations

 private:
  broch_status status_;
};

// A breach of the contract: "… violated the interface: found, expected …".
PluginError violation(const Instance& instance, const std::string& found,
                      const std::string& expected);

// Turns what came back into a status >= 0, or throws PluginError with the plugin's own message:
// Exit::numbers for BROCH_E_NUMBERS, Exit::memory for RESOURCE_EXHAUSTED, Exit::data for DATA_LOSS
// from data sources, Exit::manifest for INVALID_ARGUMENT inside create, Exit::plugin for the rest
// of create, what a host function failed with when that is passed on, Exit::training otherwise. A
// status that is neither a failure nor an allowed outcome is a contract violation, also an error
// naming the plugin. REQUIRES: inside the Entry of the call.
broch_status check_status(Instance& instance, const char* hook, broch_status status,
                          Outcomes outcomes);
// The same after a call that left floating-point control changed: restores it first; a violation
// unless the call failed anyway.
broch_status check_changed_fp(Instance& instance, const char* hook, broch_status status,
                              Outcomes outcomes, const FpControl& before);
// What to do about a call that is astray: a longjmp over frames of the host is a violation; a child
// that the plugin forked does not go on as a second run: it ends here.
[[noreturn]] void came_back_astray(Instance& instance, const char* hook);
// Rethrows what escaped from a plugin as PluginError; for use in catch (...).
[[noreturn]] void plugin_threw(Instance& instance, const char* hook);

// invoke(instance, "trigger_step", Role::main, kMayStop, [&] { return table->trigger_step(self); })
// Inlined for its cost: 75 instructions around a hook that succeeds, 25 more otherwise.
template <class Call>
[[gnu::always_inline]] inline broch_status invoke(Instance& instance, const char* hook, Role role,
                                                  Outcomes outcomes, Call&& call) {
  const FpControl before;
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
  if (FpControl() != before) [[unlikely]]
    return check_changed_fp(instance, hook, status, outcomes, before);
  if (status == BROCH_OK) [[likely]]
    return status;
  return check_status(instance, hook, status, outcomes);
}

}  // namespace broch::abi
