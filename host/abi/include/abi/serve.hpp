// serve.hpp: the frame of every host function: it checks the caller and turns failures into
// statuses.
//
//   return serve(host, "broch.progress/1 fetch", Role::main, [&](Instance& instance) {
//     …; return BROCH_OK; });
#pragma once
#include <exception>
#include <string>
#include <utility>

#include "abi/instance.hpp"
#include "abi/thread.hpp"

namespace broch::abi {

// Sets of roles in which a host function may be called. kAnyRole: in any role, but inside a call
// from the host or on an announced thread, because handles need a scope. kNoScope: from anywhere.
constexpr unsigned kAnyRole = 0;
constexpr unsigned kNoScope = 0x100;
constexpr unsigned operator|(Role a, Role b) { return unsigned(a) | unsigned(b); }
constexpr unsigned operator|(unsigned a, Role b) { return a | unsigned(b); }
constexpr unsigned only(Role role) { return unsigned(role); }

// Stores for this thread why a call failed, and returns the code. last_error shows the message. If
// the plugin returns the same status, the guard takes the message as the reason.
broch_status set_error(broch_status code, const std::string& message);
// The same for the exception that is being handled. CallError and PluginError keep their status;
// base::Error keeps its exit code.
broch_status error_from_exception() noexcept;

// The instance of `host`, kept from being destroyed as long as this object exists. It is empty,
// with *status and the message set, if there is no such instance, if the thread is neither in a
// call nor announced, or if the call is in a role that is not allowed.
class Caller {
 public:
  // Nearly every call passes the instance's own host pointer and is in an allowed role. Only this
  // case is inlined.
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

// A failure of a host function that is the plugin's mistake. Thrown inside serve.
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

// A name that no host function knows. Components pass on what the options in the manifest name, so
// the run ends with this code, unless the plugin goes on without.
class UnknownName final : public CallError {
 public:
  explicit UnknownName(std::string message) : CallError(BROCH_E_NOT_FOUND, std::move(message)) {}
  static base::Exit exit() { return base::Exit::manifest; }
};

[[noreturn, gnu::cold]] void refuse_null(const char* function, const char* name);

// For an argument that must not be NULL; throws CallError if it is.
template <class T>
T* given(T* argument, const char* function, const char* name) {
  if (!argument) [[unlikely]]
    refuse_null(function, name);
  return argument;
}

// Runs body, which returns a status or throws. An exception becomes a negative status.
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
