// waiting.hpp: waits for another thread that is expected to answer soon. If processors are free,
// polling for a short time costs less than a system call.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace broch::base {

// How often a thread polls before it sleeps, if `threads` threads work together. With more threads
// than processors it does not poll at all, since polling would take time from the threads that
// work.
inline int looks_for(size_t threads) {
  constexpr int kLooks = 4000;  // about 50 us
  return threads <= std::thread::hardware_concurrency() ? kLooks : 0;
}

// Returns once `value` differs from `old`. Polls up to `looks` times, then sleeps.
inline void wait_for_change(const std::atomic<uint32_t>& value, uint32_t old, int looks) {
  for (int i = 0; i < looks; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

}  // namespace broch::base
