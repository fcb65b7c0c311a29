// seeds.hpp: what the seeds of instances are made from; provided in the context by the session.
#pragma once
#include <cstdint>

namespace broch::abi {

struct Seeds {
  uint64_t root = 0;  // of the run
  uint32_t rank = 0;
};

}  // namespace broch::abi
