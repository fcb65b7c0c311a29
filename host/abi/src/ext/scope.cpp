// scope.cpp: broch.scope/1: scopes inside a call, and threads that a plugin started itself.
#include <memory>

#include "abi/serve.hpp"
#include "announced.hpp"
#include "base/text.hpp"
#include "tables.hpp"

namespace broch::abi {
namespace {

[[noreturn]] void refuse(const std::string& text) {
  throw CallError(BROCH_E_FAILED_PRECONDITION, text);
}

constinit thread_local bool was_announced_ = false;

// Ends with thread_leave, or with the thread at the latest.
struct Announcement {
  std::unique_ptr<Announced> crumb;

  ~Announcement() { end(); }
  void end() {
    if (!crumb) return;
    ThreadState& thread = thread_state();
    if (thread.arena) {
      thread.arena->forget_marks(crumb->scopes);
      thread.arena->cut(0);
    }
    thread.top = nullptr;
    if (Instance* instance = Instance::visit(crumb->host)) {
      instance->thread_left();
      instance->leave();
    }
    crumb.reset();
  }
};

Announcement& announcement() {
  Arena::of_this_thread();  // constructed first, so that it is destroyed after the announcement
  thread_local Announcement announcement;
  return announcement;
}

broch_status push(const broch_host* host) {
  return serve(host, "broch.scope/1 push", kAnyRole, [](Instance&) {
    Arena::of_this_thread().push_mark();
    ++thread_state().top->scopes;
    return BROCH_OK;
  });
}

broch_status pop(const broch_host* host) {
  return serve(host, "broch.scope/1 pop", kAnyRole, [](Instance&) {
    Breadcrumb& top = *thread_state().top;
    if (top.scopes == 0) refuse("broch.scope/1 pop: no scope was pushed in this call");
    --top.scopes;
    Arena::of_this_thread().pop_mark();
    return BROCH_OK;
  });
}

broch_status thread_enter(const broch_host* host, const char* name) {
  return serve(host, "broch.scope/1 thread_enter", kNoScope, [&](Instance& instance) {
    ThreadState& thread = thread_state();
    if (thread.top)
      refuse("broch.scope/1 thread_enter: this thread is " +
             (thread.top->announced ? std::string("announced already")
                                    : std::string("the host's, in ") + thread.top->hook) +
             ", expected a thread that the plugin started");
    auto crumb = std::make_unique<Announced>();
    crumb->name = base::to_utf8(name ? name : "");
    crumb->label = instance.label();
    crumb->file = instance.spec().file;
    crumb->host = host;
    crumb->instance = &instance;
    crumb->hook = crumb->name.c_str();
    crumb->messages = thread.messages;
    crumb->role = Role::data;
    crumb->announced = true;
    Announcement& current = announcement();
    thread.top = crumb.get();
    was_announced_ = true;
    current.crumb = std::move(crumb);
    instance.thread_announced();
    return BROCH_OK;
  });
}

broch_status thread_leave(const broch_host* host) {
  return serve(host, "broch.scope/1 thread_leave", kNoScope, [&](Instance& instance) {
    const Breadcrumb* top = thread_state().top;
    if (!top || !top->announced || static_cast<const Announced*>(top)->host != host)
      refuse("broch.scope/1 thread_leave: this thread did not enter for " + instance.label());
    announcement().end();
    return BROCH_OK;
  });
}

}  // namespace

bool was_announced() { return was_announced_; }

constinit const broch_host_scope kScopeTable = {
    sizeof(broch_host_scope), 0, push, pop, thread_enter, thread_leave};

}  // namespace broch::abi
