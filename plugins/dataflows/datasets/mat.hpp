// mat.hpp: arrays of a MAT file of version 5, as MATLAB and scipy.io.savemat write it.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace datasets {

struct MatArray {
  std::string name;
  std::vector<int64_t> shape;
  // The elements, the first dimension runs fastest. Empty for what is no real array of numbers,
  // such as a text or a structure. A type of the format: 1 int8, 2 uint8, … (mat.cpp).
  uint32_t type = 0;
  std::string_view data;                          // borrowed from the file or from unpacked
  std::shared_ptr<const std::string> unpacked{};  // of a packed array

  uint64_t count() const;
  bool is_bytes() const { return type == 2; }
  // An element as a number, whatever its type.
  double number(uint64_t i) const;
};

// bytes: the whole file. limit: bytes to unpack at most. Throws Error with the byte.
std::vector<MatArray> parse_mat(std::string_view bytes, uint64_t limit, const std::string& place);

}  // namespace datasets
