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

// The instance behind host, for as long as this lives; none after setting *status and the message:
// no such host, a thread that is in no call and not announced, or a call of another role.
class Caller {
 public:
  // What nearly every call is, an instance's own host in a call of the right role, is inlined.
  Caller(const broch_host* host, const char* function, unsigned allowed_roles,
         broch_status* status) noexcept {
    const Breadcrumb* top = thread_state().top;
    if (top && !top->announced && top->instance->host() == host &&
        (allowed_roles == kAnyRole || allowed_roles & (unsigned(top->role) | kNoScope))) [[likely]]
      instance_ = top->instance;
    else
      visit(host, function, allowed_roles, status);
  }
  ~Caller() {
    if (visits_) [[unlikely]]
      instance_->leave();
  }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  explicit operator bool() const { return instance_ != nullptr; }
  Instance& operator*() const { return *instance_; }
  Instance* operator->() const { return instance_; }

 private:
  void visit(const broch_host* host, const char* function, unsigned allowed_roles,
             broch_status* status) noexcept;

  Instance* instance_ = nullptr;
  bool visits_ = false;
};

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

[[noreturn, gnu::cold]] void refuse_null(const char* function, const char* name);

// An argument that must not be NULL; throws CallError where it is.
template <class T>
T* given(T* argument, const char* function, const char* name) {
  if (!argument) [[unlikely]]
    refuse_null(function, name);
  return argument;
}

// Runs body, which returns a status or throws; an exception becomes a negative status.
template <class Body>
broch_status serve(const broch_host* host, const char* function, unsigned allowed_roles,
                   Body&& body) noexcept {
  broch_status status = BROCH_OK;
  const Caller caller(host, function, allowed_roles, &status);
  if (!caller) return status;
  try {
    return std::forward<Body>(body)(*caller);
  } catch (...) {
    return error_from_exception();
  }
}
template <class Body>
broch_status serve(const broch_host* host, const char* function, Role role, Body&& body) noexcept {
  return serve(host, function, only(role), std::forward<Body>(body));
}

}  // namespace broch::abi
