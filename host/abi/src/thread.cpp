// thread.cpp: gives each thread that calls into plugins an arena and a signal stack.
#include "abi/thread.hpp"

#include <mutex>
#include <vector>

#include "signal_stack.hpp"

namespace broch::abi {
namespace {

// Arenas outlive their threads. The next thread continues with the generations of the arena that it
// gets, so that handles of the ended thread stay invalid.
struct Pool {
  std::mutex mutex;
  std::vector<Arena*> idle;
};

Pool& pool() {
  static Pool* const only = new Pool;  // never destroyed, because threads may end after main
  return *only;
}

Arena* take_arena() {
  {
    const std::lock_guard lock(pool().mutex);
    if (!pool().idle.empty()) {
      Arena* arena = pool().idle.back();
      pool().idle.pop_back();
      return arena;
    }
  }
  return new Arena;
}

struct Lease {
  Arena* arena = take_arena();
  SignalStack stack;

  ~Lease() {
    arena->cut(0);
    thread_.arena = nullptr;
    const std::lock_guard lock(pool().mutex);
    pool().idle.push_back(arena);
  }
};

}  // namespace

constinit thread_local ThreadState thread_;

const char* role_name(Role role) {
  switch (role) {
    case Role::main:
      return "[main]";
    case Role::step:
      return "[step]";
    case Role::data:
      return "[data]";
    case Role::any:
      return "[any]";
  }
  return "[any]";
}

void prepare_thread() {
  thread_local Lease lease;
  thread_.arena = lease.arena;
}

}  // namespace broch::abi
