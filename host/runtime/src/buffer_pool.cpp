// buffer_pool.cpp: keeps free memory of large tensors by size.
#include "buffer_pool.hpp"

#include <algorithm>
#include <cstdint>
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
      Size& size = sizes_[bytes];
      size.taken = ++takes_;
      if (!size.free.empty()) {
        bytes_ -= bytes;
        return popped(size);
      }
    }
    // Not operator new, which under a sanitizer ends the program where memory is short.
    if (void* const memory = std::malloc(bytes)) return memory;
    throw std::bad_alloc();
  }

  void give_back(void* memory, size_t bytes) noexcept {
    std::vector<void*> unwanted;
    if (!keep(memory, bytes, unwanted)) std::free(memory);
    for (void* const one : unwanted) std::free(one);
  }

 private:
  struct Size {
    std::vector<void*> free;
    uint64_t taken = 0;  // when one was taken last, as a number of takes
  };

  static void* popped(Size& size) {
    void* const memory = size.free.back();
    size.free.pop_back();
    return memory;
  }

  // Makes room at the cost of sizes that were taken less recently: a run may use many sizes, one
  // after the other.
  bool keep(void* memory, size_t bytes, std::vector<void*>& unwanted) noexcept try {
    const std::lock_guard lock(mutex_);
    Size& own = sizes_[bytes];
    if (bytes > kMostBytes || own.free.size() >= kKept) return false;
    own.free.reserve(kKept);
    while (bytes_ + bytes > kMostBytes) {
      const auto oldest = least_recent();
      if (oldest->second.taken >= own.taken) return false;
      unwanted.reserve(unwanted.size() + 1);
      unwanted.push_back(popped(oldest->second));
      bytes_ -= oldest->first;
    }
    own.free.push_back(memory);
    bytes_ += bytes;
    return true;
  } catch (...) {
    return false;
  }

  // Of the sizes with free buffers. REQUIRES: there is one.
  std::map<size_t, Size>::iterator least_recent() {
    return std::ranges::min_element(sizes_, {}, [](const auto& entry) {
      return entry.second.free.empty() ? UINT64_MAX : entry.second.taken;
    });
  }

  std::mutex mutex_;
  std::map<size_t, Size> sizes_;
  uint64_t takes_ = 0;
  size_t bytes_ = 0;  // of all free buffers
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
