// rank_writes.cpp: sends a variable from one rank to all.
#include "plan/rank_writes.hpp"

#include "plan/rank_gather.hpp"

namespace broch::plan {

void broadcast_value(dist::Group& group, runtime::Backend& backend,
                     const runtime::Variable& variable, uint32_t root) {
  const int memory = memory_of(variable.device);
  if (group.reaches(memory))
    return group.broadcast(bytes_of(backend, variable.value), root, memory);
  const runtime::Tensor here = backend.copy(variable.value, {});
  group.broadcast(bytes_of(backend, here), root);
  backend.assign(variable.value, here);
}

}  // namespace broch::plan
