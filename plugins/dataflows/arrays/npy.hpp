// npy.hpp: the header of a .npy file, formats 1.0, 2.0 and 3.0 (numpy/lib/format.py).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arrays/element.hpp"

namespace arrays {

// What the header says, whatever the elements are.
struct NpyHeader {
  std::string descr;  // such as "<f4"
  bool fortran_order = false;
  std::vector<int64_t> shape;  // at most 32 dimensions
  uint64_t offset = 0;         // of the first element, in bytes
};

// bytes: the file, or its first kLongestNpyHeader bytes.
constexpr uint64_t kLongestNpyHeader = 12 + 65536;
NpyHeader parse_npy_header(std::string_view bytes, const std::string& place);
// Throws Error unless the array has a dimension, and the file ends after its last element. Returns
// the number of elements.
uint64_t count_elements(const NpyHeader& header, uint64_t element_size, uint64_t file_size,
                        const std::string& place);
// A header of format 1.0 for an array in C order. Its length does not depend on the first
// dimension, so that a writer can replace it when it knows the number of rows.
std::string npy_header(const std::string& descr, const std::vector<int64_t>& shape);

struct Npy {
  Element element;
  std::vector<int64_t> shape;  // at least one dimension
  uint64_t count = 0;          // number of elements
  uint64_t offset = 0;         // of the first element, in bytes; the file ends after the last one
};

// bytes: the whole file. place: its name in messages. Accepts little-endian arrays in C order only;
// for others, the message of the Error says how to convert them.
Npy parse_npy(std::string_view bytes, const std::string& place);

}  // namespace arrays
