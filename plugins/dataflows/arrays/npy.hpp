// npy.hpp: the header of a .npy file, formats 1.0, 2.0 and 3.0 (numpy/lib/format.py).
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
  uint64_t count = 0;          // number of elements
  uint64_t offset = 0;         // of the first element, in bytes; the file ends after the last one
};

// bytes: the whole file. place: its name in messages. Accepts little-endian arrays in C order only;
// for others, the message of the Error says how to convert them.
Npy parse_npy(std::string_view bytes, const std::string& place);

}  // namespace arrays
