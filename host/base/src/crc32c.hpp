// crc32c.hpp: the way without SSE4.2, named so that a test can reach it on any processor.
#pragma once
#include <cstddef>
#include <cstdint>

namespace broch::base {

// Without the inversions before and after.
uint32_t crc32c_by_tables(const unsigned char* at, size_t size, uint32_t crc);

}  // namespace broch::base
