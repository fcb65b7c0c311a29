// allocator.hpp: LibTorch's CPU memory, watched while an operator is recorded and handed out by
// plan while it is replayed.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace broch::compiler {

// One allocation of an operator, in the order in which it asks.
struct Allocation {
  size_t bytes = 0;
  void* address = nullptr;  // recorded: where it was; planned: where it is to be, nullptr: anywhere
  bool freed = false;       // recorded: given back before the operator returned
};

// Takes the place of LibTorch's CPU allocator, once in a process.
void install_allocator();
// Whether the next run of some program writes there.
bool is_planned_memory(const void* address);

// Notes what this thread allocates, as long as it lives.
class AllocationLog {
 public:
  explicit AllocationLog(std::vector<Allocation>& log);
  ~AllocationLog();
  AllocationLog(const AllocationLog&) = delete;
  AllocationLog& operator=(const AllocationLog&) = delete;

 private:
  std::vector<Allocation>* outer_;
};

// Hands out planned memory to this thread as long as requests come as recorded.
class AllocationPlan {
 public:
  explicit AllocationPlan(std::span<const Allocation> plan);
  ~AllocationPlan();
  AllocationPlan(const AllocationPlan&) = delete;
  AllocationPlan& operator=(const AllocationPlan&) = delete;

 private:
  std::span<const Allocation> outer_;
  size_t outer_next_;
};

// Memory that plans hand out: while this lives the allocator leaves it alone when a tensor on it
// dies.
class PlannedRange {
 public:
  PlannedRange(void* begin, size_t bytes);
  ~PlannedRange();
  PlannedRange(const PlannedRange&) = delete;
  PlannedRange& operator=(const PlannedRange&) = delete;

 private:
  std::byte *begin_, *end_;
};

// Memory of one value of a program. Zeroed; 64 bytes aligned.
class Arena {
 public:
  explicit Arena(size_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  std::byte* begin() const { return begin_; }

 private:
  std::byte* begin_;
  std::optional<PlannedRange> range_;
};

}  // namespace broch::compiler
