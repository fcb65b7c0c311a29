// host_table.hpp: the four members that every instance gets.
#pragma once
#include <cstdint>

#include "broch/host.h"

namespace broch::abi {

// With what lies beyond size left out.
broch_host make_host_table(uint32_t size);

}  // namespace broch::abi
