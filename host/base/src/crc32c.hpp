// crc32c.hpp: the CRC-32C without SSE4.2, declared here so that a test can call it on any
// processor.
#pragma once
#include <cstddef>
#include <cstdint>

namespace broch::base {

// Unlike crc32c, it does not invert the CRC before and after.
uint32_t crc32c_by_tables(const unsigned char* at, size_t size, uint32_t crc);

}  // namespace broch::base
