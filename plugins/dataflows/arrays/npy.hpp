// npy.hpp: the elements of a .npy file.
#pragma once
#include <archive/npy_header.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arrays/element.hpp"

namespace arrays {

using broch::archive::NpyHeader;
using broch::archive::parse_npy_header;

// Throws Error unless the array has a dimension, and the file ends after its last element. Returns
// the number of elements.
uint64_t count_elements(const NpyHeader& header, uint64_t element_size, uint64_t file_size,
                        const std::string& place);

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
