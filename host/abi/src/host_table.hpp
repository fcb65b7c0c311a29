// host_table.hpp: the four members that every instance gets.
#pragma once
#include <cstdint>

#include "broch/host.h"

namespace broch::abi {

// A table with what lies beyond size left out, for a new instance; one of an instance that ended
// when many have ended since.
const broch_host* lend_host_table(uint32_t size);
// When its instance has ended.
void retire_host_table(const broch_host* table);

}  // namespace broch::abi
