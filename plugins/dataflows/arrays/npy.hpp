// npy.hpp: the header of a .npy file (numpy/lib/format.py: format 1.0, 2.0 and 3.0).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arrays/element.hpp"

namespace arrays {

struct Npy {
  Element element;
  std::vector<int64_t> shape;  // at least one dimension
  uint64_t count = 0;          // elements
  uint64_t offset = 0;         // of the first element; as many follow as the shape says
};

// bytes is the whole file, place how messages name it. Only little-endian arrays in C order are
// read; the others are refused with a message that says how to convert them.
Npy parse_npy(std::string_view bytes, const std::string& place);

}  // namespace arrays
