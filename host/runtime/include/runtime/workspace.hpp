// workspace.hpp: memory for the values of programs that never run at the same time.
#pragma once
#include <cstddef>
#include <vector>

namespace broch::runtime {

// Grows without moving: addresses are reserved once and filled as far as somebody asked.
class Workspace {
 public:
  Workspace() = default;
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  // At least so many bytes, page-aligned; the same for each caller as long as the addresses last.
  // Throws std::bad_alloc.
  std::byte* at_least(size_t bytes);
  // Gives the memory back to the system until it is written again; it reads as zeros.
  void forget();

 private:
  struct Region {
    std::byte* begin;
    size_t reserved, usable;
  };
  static Region reserve(size_t bytes);
  std::vector<Region> regions_;  // the last one serves
};

}  // namespace broch::runtime
