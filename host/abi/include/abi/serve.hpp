// serve.hpp: the body of a host function called by a plugin: who calls, from where, what went
// wrong.
//
//   return serve(host, "broch.run/1 fetch", Role::main, [&](Instance& instance) {
//     …; return BROCH_OK; });
#pragma once
#include <exception>
#include <string>
#include <utility>

#include "abi/instance.hpp"
#include "abi/thread.hpp"

namespace broch::abi {

// Sets of roles from which a host function may be called. kAnyRole: any, inside a call from the
// host or on an announced thread, since handles need a scope. kNoScope: from everywhere.
constexpr unsigned kAnyRole = 0;
constexpr unsigned kNoScope = 0x100;
constexpr unsigned operator|(Role a, Role b) { return unsigned(a) | unsigned(b); }
constexpr unsigned operator|(unsigned a, Role b) { return a | unsigned(b); }
constexpr unsigned only(Role role) { return unsigned(role); }

// Why a call failed; kept for this thread: last_error shows it, and the guard takes it for the
// reason when the plugin passes the status on. Returns code.
broch_status set_error(broch_status code, const std::string& message);
// The same for the exception being handled: CallError and PluginError keep their status, of
// base::Error the exit code is kept.
broch_status error_from_exception() noexcept;

// The instance behind host, or nullptr after setting *status and the message: no such host, a
// thread that is in no call and not announced, or a call of another role.
Instance* find_caller(const broch_host* host, const char* function, unsigned allowed_roles,
                      broch_status* status) noexcept;
// The same; what nearly every call is, an instance's own host in a call of the right role, is
// inlined.
inline Instance* caller(const broch_host* host, const char* function, unsigned allowed_roles,
                        broch_status* status) noexcept {
  const Breadcrumb* top = thread_state().top;
  if (top && !top->announced && top->instance->host() == host &&
      (allowed_roles == kAnyRole || allowed_roles & (unsigned(top->role) | kNoScope))) [[likely]]
    return top->instance;
  return find_caller(host, function, allowed_roles, status);
}

// A failure of a host function that is the plugin's mistake, thrown inside serve.
class CallError : public std::exception {
 public:
  CallError(broch_status status, std::string message)
      : status_(status), message_(std::move(message)) {}
  broch_status status() const { return status_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  broch_status status_;
  std::string message_;
};

// Runs body, which returns a status or throws; an exception becomes a negative status.
template <class Body>
broch_status serve(const broch_host* host, const char* function, unsigned allowed_roles,
                   Body&& body) noexcept {
  broch_status status = BROCH_OK;
  Instance* instance = caller(host, function, allowed_roles, &status);
  if (!instance) return status;
  try {
    return std::forward<Body>(body)(*instance);
  } catch (...) {
    return error_from_exception();
  }
}
template <class Body>
broch_status serve(const broch_host* host, const char* function, Role role, Body&& body) noexcept {
  return serve(host, function, only(role), std::forward<Body>(body));
}

}  // namespace broch::abi
