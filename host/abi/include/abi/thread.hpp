// thread.hpp: what a thread is doing for which plugin.
#pragma once
#include <cstdint>

#include "abi/fp_control.hpp"
#include "abi/handle.hpp"

namespace broch::abi {

class Instance;

// Roles of threads.h.
enum class Role : uint8_t { any = 0, main = 1, step = 2, data = 4 };
const char* role_name(Role role);  // "[main]"

// One call into a plugin, or one announced thread of a plugin; the innermost is ThreadState::top.
// Read by the crash handler.
struct Breadcrumb {
  Instance* instance = nullptr;
  const char* hook = nullptr;
  Breadcrumb* outer = nullptr;
  uint64_t messages = 0;  // ThreadState::messages when the call began
  uint32_t scopes = 0;    // that the plugin pushed in this call and has not popped
  Role role = Role::any;
  bool announced = false;  // by thread_enter
};

// State of this thread at the border. Plain data, so that reaching it costs one instruction and is
// safe in a signal handler.
struct ThreadState {
  Breadcrumb* top = nullptr;
  Arena* arena = nullptr;  // made by prepare_thread
  uint64_t messages = 0;   // number of failures told on this thread
  uint64_t domain = 0;     // whose handles are lent now, see tower/src/domain.hpp; 0: nobody's
  const char* loading = nullptr;  // what is done with a library outside of instances
  const char* loading_file = nullptr;

  // Whether a failure was told in the call that this thread is in.
  bool told_in_call() const { return top && messages != top->messages; }
};

// The program is an executable, so the fastest access is possible.
#if defined(__GNUC__)
extern constinit thread_local ThreadState thread_ __attribute__((tls_model("initial-exec")));
#else
extern constinit thread_local ThreadState thread_;
#endif
inline ThreadState& thread_state() { return thread_; }

// Makes this thread's arena and signal stack.
void prepare_thread();
inline ThreadState& prepared_thread() {
  if (!thread_state().arena) [[unlikely]]
    prepare_thread();
  return thread_state();
}

inline Arena& Arena::of_this_thread() { return *prepared_thread().arena; }

}  // namespace broch::abi
