// seeds.hpp: what the seeds of instances are made from. The session provides it in the context.
#pragma once
#include <cstdint>

namespace broch::abi {

class Instance;

struct Seeds {
  uint64_t root = 0;  // the seed of the run
  uint32_t rank = 0;
};

// The seed for the random numbers of an instance; see `seed` in ext/instance.h.
uint64_t seed_of(const Instance& instance);
// The same, but equal on all ranks.
uint64_t seed_of_all_ranks(const Instance& instance);

}  // namespace broch::abi
