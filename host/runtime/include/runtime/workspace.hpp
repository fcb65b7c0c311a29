// workspace.hpp: memory for the values of programs that never run at the same time.
#pragma once
#include <cstddef>
#include <vector>

namespace broch::runtime {

// It can grow without moving: addresses are reserved once, and memory is added when it is needed.
class Workspace {
 public:
  Workspace() = default;
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  // Memory of at least this size, aligned to pages. The address is the same for all callers while
  // the reserved addresses suffice. Throws std::bad_alloc.
  std::byte* at_least(size_t bytes);
  // Returns the memory to the system until it is written again. It reads as zeros.
  void forget();

 private:
  struct Region {
    std::byte* begin;
    size_t reserved, usable;
  };
  static Region reserve(size_t bytes);
  std::vector<Region> regions_;  // the last one is in use
};

}  // namespace broch::runtime
