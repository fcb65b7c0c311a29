// cut_table.hpp: copies tables of functions as far as their maker's version of the struct reaches.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>

namespace broch::abi {

// Copies at most `size` bytes of `table`, in whole pointers, so that an entry is never cut in two.
// `copy` has `whole` bytes, all zero.
inline void cut_table(const void* table, uint32_t size, void* copy, size_t whole) {
  std::memcpy(copy, table, std::min<size_t>(size, whole) / sizeof(void*) * sizeof(void*));
}

// The same with the table's own size: struct_size is the first member of every table.
inline void copy_table(const void* table, void* copy, size_t whole) {
  uint32_t size = 0;
  std::memcpy(&size, table, sizeof size);
  cut_table(table, size, copy, whole);
}

}  // namespace broch::abi
