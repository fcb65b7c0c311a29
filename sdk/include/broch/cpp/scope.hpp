// scope.hpp: how long borrowed handles live, and threads that a plugin starts.
#pragma once
#include <string>

#include "host.hpp"

namespace broch {
inline namespace v0 {

// A scope, open as long as the object lives: handles that are made inside end with it. Make it a
// local variable, for example of each iteration of a long loop.
class Scope {
 public:
  explicit Scope(const Host& host) : Scope(host, host.require<broch_host_scope>(BROCH_EXT_SCOPE)) {}
  ~Scope() { table_->pop(host_.c()); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  friend class Scopes;
  Scope(const Host& host, const broch_host_scope* table) : host_(host), table_(table) {
    host_.check(table_->push(host_.c()));
  }

  Host host_;
  const broch_host_scope* table_;
};

// Opens scopes without looking up the extension each time.
class Scopes {
 public:
  explicit Scopes(const Host& host)
      : host_(host), table_(host.require<broch_host_scope>(BROCH_EXT_SCOPE)) {}
  [[nodiscard]] Scope open() const { return Scope(host_, table_); }

 private:
  Host host_;
  const broch_host_scope* table_;
};

// Makes the current thread, which the plugin has started, known to the host until the object is
// destroyed. Make it a local variable of the thread, before any other call to the host; see
// ext/scope.h.
class ThreadScope {
 public:
  ThreadScope(const Host& host, const std::string& name)
      : host_(host), table_(host.require<broch_host_scope>(BROCH_EXT_SCOPE)) {
    host_.check(table_->thread_enter(host_.c(), name.c_str()));
  }
  ~ThreadScope() { table_->thread_leave(host_.c()); }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  Host host_;
  const broch_host_scope* table_;
};

}  // namespace v0
}  // namespace broch
