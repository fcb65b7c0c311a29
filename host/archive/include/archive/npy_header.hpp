// npy_header.hpp: the header of a .npy file, formats 1.0, 2.0 and 3.0 (numpy/lib/format.py).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace broch::archive {

// What the header says, whatever the elements are.
struct NpyHeader {
  std::string descr;  // such as "<f4"; "[('a', '<f4'), …]" of a structured array
  bool fortran_order = false;
  std::vector<int64_t> shape;  // at most 32 dimensions
  uint64_t offset = 0;         // of the first element, in bytes
};

// bytes: the file, or its first kLongestNpyHeader bytes.
constexpr uint64_t kLongestNpyHeader = 12 + 65536;
enum class NpyFields { refuse, keep };  // what to do with a structured array
NpyHeader parse_npy_header(std::string_view bytes, const std::string& place,
                           NpyFields fields = NpyFields::refuse);
// A header of format 1.0 for an array in C order. Its length does not depend on the first
// dimension, so that a writer can replace it when it knows the number of rows.
std::string npy_header(const std::string& descr, const std::vector<int64_t>& shape);

}  // namespace broch::archive
