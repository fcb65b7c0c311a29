// resident.hpp: how much memory this process holds, for tests that nothing is kept.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// gcc 12 has the function but not its header.
extern "C" size_t __sanitizer_get_current_allocated_bytes();
#endif

namespace broch::test {

// In KiB; without what sanitizers keep of what was freed. -1: unknown.
inline int64_t resident() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return int64_t(__sanitizer_get_current_allocated_bytes() / 1024);
#endif
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::atoll(line.c_str() + 6);
  return -1;
}

}  // namespace broch::test
