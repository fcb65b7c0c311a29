// buffer_pool.cpp: keeps free memory of large tensors by size.
#include "buffer_pool.hpp"

#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <vector>

namespace broch::runtime {
namespace {

constexpr size_t kStep = size_t{1} << 18;       // sizes are rounded up to a multiple of this
constexpr size_t kKept = 4;                     // free buffers of one size
constexpr size_t kMostBytes = size_t{1} << 29;  // of all free buffers

class Pool {
 public:
  void* take(size_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      const auto found = free_.find(bytes);
      if (found != free_.end() && !found->second.empty()) {
        void* const memory = found->second.back();
        found->second.pop_back();
        bytes_ -= bytes;
        return memory;
      }
    }
    // Not operator new, which under a sanitizer ends the program where memory is short.
    if (void* const memory = std::malloc(bytes)) return memory;
    throw std::bad_alloc();
  }

  void give_back(void* memory, size_t bytes) noexcept {
    if (!keep(memory, bytes)) std::free(memory);
  }

 private:
  bool keep(void* memory, size_t bytes) noexcept try {
    const std::lock_guard lock(mutex_);
    if (bytes_ + bytes > kMostBytes) return false;
    std::vector<void*>& of_size = free_[bytes];
    if (of_size.size() >= kKept) return false;
    of_size.push_back(memory);
    bytes_ += bytes;
    return true;
  } catch (...) {
    return false;
  }

  std::mutex mutex_;
  std::map<size_t, std::vector<void*>> free_;
  size_t bytes_ = 0;
};

// Never destroyed, because threads of plugins may still give memory back at the end.
Pool& pool() {
  static Pool& one = *new Pool;
  return one;
}

size_t rounded(size_t bytes) { return (bytes + kStep - 1) / kStep * kStep; }

}  // namespace

void* take_buffer(size_t bytes) { return pool().take(rounded(bytes)); }

void give_back_buffer(void* memory, size_t bytes) noexcept {
  pool().give_back(memory, rounded(bytes));
}

}  // namespace broch::runtime
