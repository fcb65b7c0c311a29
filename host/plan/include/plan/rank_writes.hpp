// rank_writes.hpp: sends values that only one rank has written to the other ranks.
#pragma once
#include <cstdint>

#include "dist/group.hpp"
#include "runtime/variables.hpp"

namespace broch::plan {

// Tracks what only rank 0 has written. All ranks call both functions at the same points.
class RankWrites {
 public:
  virtual ~RankWrites() = default;
  virtual void hand_on_in_step() = 0;  // before an execution in which ranks exchange data
  virtual void all_were_sent() = 0;    // every GLOBAL variable was just broadcast by one rank
};

// Sends the value of one rank to all others.
void broadcast_value(dist::Group& group, runtime::Backend& backend,
                     const runtime::Variable& variable, uint32_t root);

}  // namespace broch::plan
