// memory_plan.hpp: the offset of each value of a program in one block of memory.
#pragma once
#include <vector>

#include "compiler/names.hpp"
#include "program/program.hpp"

namespace broch::compiler {

struct MemoryPlan {
  static constexpr size_t kElsewhere = SIZE_MAX;
  std::vector<size_t> offset;                // by buffer; kElsewhere: not in this memory
  std::vector<std::vector<size_t>> scratch;  // by node and allocation
  size_t bytes = 0;                          // of this memory
  size_t unplanned_bytes = 0;                // if no memory were reused
};

// Values that are never needed at the same time share memory. Wanted outputs keep theirs to the
// end.
MemoryPlan plan_memory(const Program& program);

}  // namespace broch::compiler
