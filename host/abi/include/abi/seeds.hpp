// seeds.hpp: what the seeds of instances are made from; provided in the context by the session.
#pragma once
#include <cstdint>

namespace broch::abi {

class Instance;

struct Seeds {
  uint64_t root = 0;  // of the run
  uint32_t rank = 0;
};

// For an instance's own draws; see seed in ext/instance.h.
uint64_t seed_of(const Instance& instance);

}  // namespace broch::abi
