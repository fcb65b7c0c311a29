// thread.hpp: what each thread is doing, and for which plugin.
#pragma once
#include <cstdint>

#include "abi/handle.hpp"

namespace broch::abi {

class Instance;

// The roles of threads in the SDK's threads.h.
enum class Role : uint8_t { any = 0, main = 1, step = 2, data = 4 };
const char* role_name(Role role);  // "[main]"

// One call into a plugin, or one announced thread of a plugin. ThreadState::top is the innermost
// one. The crash handler reads these.
struct Breadcrumb {
  Instance* instance = nullptr;
  const char* hook = nullptr;
  Breadcrumb* outer = nullptr;
  uint64_t messages = 0;  // ThreadState::messages at the beginning of the call
  uint32_t scopes = 0;    // the scopes that the plugin has pushed in this call and not popped
  Role role = Role::any;
  bool announced = false;  // by thread_enter
};

// What the room knows about this thread. Plain data, so that access takes one instruction and is
// safe in a signal handler.
struct ThreadState {
  Breadcrumb* top = nullptr;
  Arena* arena = nullptr;         // made by prepare_thread
  uint64_t messages = 0;          // number of failures reported on this thread
  uint64_t domain = 0;            // whose handles are valid, see tower/src/domain.hpp; 0: outside
  const char* loading = nullptr;  // what is done with a library outside of instances
  const char* loading_file = nullptr;

  // Whether a failure was reported during the call that this thread is in.
  bool told_in_call() const { return top && messages != top->messages; }
};

// The fastest TLS model is possible because this code is part of the executable.
#if defined(__GNUC__)
extern constinit thread_local ThreadState thread_ __attribute__((tls_model("initial-exec")));
#else
extern constinit thread_local ThreadState thread_;
#endif
inline ThreadState& thread_state() { return thread_; }

// Creates this thread's arena and signal stack.
void prepare_thread();
inline ThreadState& prepared_thread() {
  if (!thread_state().arena) [[unlikely]]
    prepare_thread();
  return thread_state();
}

inline Arena& Arena::of_this_thread() { return *prepared_thread().arena; }

}  // namespace broch::abi
