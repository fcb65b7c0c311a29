// idx.hpp: the format of MNIST: a header, then an array of bytes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace datasets {

struct Idx {
  std::vector<int64_t> shape;
  std::string_view data;  // row-major, borrowed
};

// bytes: the whole file, unpacked. dimensions: the number that is expected. Throws Error with the
// byte.
Idx parse_idx(std::string_view bytes, size_t dimensions, const std::string& place);

}  // namespace datasets
