// passes.hpp: from program to program: each has a name, can be left out, and is tested alone.
#pragma once
#include <cstddef>
#include <span>

#include "program/program.hpp"

namespace broch::runtime {

struct Pass {
  const char* name;
  Level level;                 // from which on it is done
  size_t (*run)(Program&);     // how many changes it made
};

// In the order in which they are done.
std::span<const Pass> all_passes();

// Calls that only look at memory otherwise, and those that ask for uninitialised memory: the
// descriptors of later calls have said it already.
size_t resolve_views(Program& program);
// Calls whose arguments are the same in every run are done once.
size_t fold_constants(Program& program);
// Calls that nothing wanted depends on.
size_t prune(Program& program);
// Elementwise operators whose rounding is known exactly, and sgemm, without LibTorch's dispatcher.
size_t call_kernels(Program& program);

}  // namespace broch::runtime
