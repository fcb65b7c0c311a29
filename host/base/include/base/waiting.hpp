// waiting.hpp: waiting for another thread that answers soon: looking a while costs less than a
// system call where processors are free.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace broch::base {

// How often one of so many threads that work together looks before it sleeps. Looking takes time
// from those who work where there are more of them than processors.
inline int looks_for(size_t threads) {
  constexpr int kLooks = 4000;  // about 50 us
  return threads <= std::thread::hardware_concurrency() ? kLooks : 0;
}

// Returns once the value is no longer old.
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
