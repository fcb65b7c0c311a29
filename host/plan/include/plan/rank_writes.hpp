// rank_writes.hpp: values that one rank alone has written, for the other ranks.
#pragma once
#include <cstdint>

#include "dist/group.hpp"
#include "runtime/variables.hpp"

namespace broch::plan {

// Knows what rank 0 alone has written. Both are called by all ranks at the same place.
class RankWrites {
 public:
  virtual ~RankWrites() = default;
  virtual void hand_on_in_step() = 0;  // before a run in which ranks meet
  virtual void all_were_sent() = 0;    // every GLOBAL variable is that of one rank
};

// The value of one rank, for all.
void broadcast_value(dist::Group& group, runtime::Backend& backend,
                     const runtime::Variable& variable, uint32_t root);

}  // namespace broch::plan
