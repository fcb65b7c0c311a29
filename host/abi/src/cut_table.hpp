// cut_table.hpp: tables that cross the border: copied, cut to what their maker knew.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>

namespace broch::abi {

// Copies size bytes of table at most, in whole pointers: an entry that is cut in two is left out.
// copy has room for whole bytes, zeroed.
inline void cut_table(const void* table, uint32_t size, void* copy, size_t whole) {
  std::memcpy(copy, table, std::min<size_t>(size, whole) / sizeof(void*) * sizeof(void*));
}

// struct_size is the first member of every table.
inline void copy_table(const void* table, void* copy, size_t whole) {
  uint32_t size = 0;
  std::memcpy(&size, table, sizeof size);
  cut_table(table, size, copy, whole);
}

}  // namespace broch::abi
