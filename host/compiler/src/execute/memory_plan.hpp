// memory_plan.hpp: where in one arena each value of a program stands.
#pragma once
#include <vector>

#include "compiler/program.hpp"

namespace broch::compiler {

struct MemoryPlan {
  static constexpr size_t kElsewhere = SIZE_MAX;
  std::vector<size_t> offset;                // by buffer; kElsewhere: not in the arena
  std::vector<std::vector<size_t>> scratch;  // by node and allocation
  size_t bytes = 0;                          // of the arena
  size_t unplanned_bytes = 0;                // if no memory were used twice
};

// Values that are never needed together share memory. Those that are wanted keep theirs to the end.
MemoryPlan plan_memory(const Program& program);

}  // namespace broch::compiler
