// host_table.hpp: the host table that every instance gets.
#pragma once
#include <cstdint>

#include "broch/host.h"

namespace broch::abi {

// A table for a new instance, without the members beyond `size`. After many instances have ended,
// the table of the first of them is reused.
const broch_host* lend_host_table(uint32_t size);
// Called when the table's instance has ended.
void retire_host_table(const broch_host* table);

}  // namespace broch::abi
