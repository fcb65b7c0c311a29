// allocator.hpp: replaces LibTorch's CPU allocator. It logs what an operator allocates while it is
// recorded, and gives it planned memory while it is replayed.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace broch::program {

// One allocation of an operator. A list has them in the order of the requests.
struct Allocation {
  size_t bytes = 0;
  void* address = nullptr;  // recorded: where it was; planned: where it will be, nullptr: anywhere
  bool freed = false;       // recorded: whether it was freed before the operator returned
};

// Replaces LibTorch's CPU allocator, once per process.
void install_allocator();
// Whether the address is in planned memory, which the next run of a program will overwrite.
bool is_planned_memory(const void* address);

// While it exists, logs the allocations of this thread.
class AllocationLog {
 public:
  explicit AllocationLog(std::vector<Allocation>& log);
  ~AllocationLog();
  AllocationLog(const AllocationLog&) = delete;
  AllocationLog& operator=(const AllocationLog&) = delete;

 private:
  std::vector<Allocation>* outer_;
};

// While it exists, gives planned memory to this thread, as long as the requests are those that were
// recorded.
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

// Marks memory as planned: while this object exists, the allocator does not free it when a tensor
// on it is destroyed.
class PlannedRange {
 public:
  PlannedRange(void* begin, size_t bytes);
  ~PlannedRange();
  PlannedRange(const PlannedRange&) = delete;
  PlannedRange& operator=(const PlannedRange&) = delete;

 private:
  std::byte *begin_, *end_;
};

// Memory for one value of a program, initially zero and aligned to 64 bytes.
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

}  // namespace broch::program
