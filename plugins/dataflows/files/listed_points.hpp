// listed_points.hpp: data points from nested lists of numbers in JSON.
#pragma once
#include <broch/dlpack.h>

#include <cstdint>
#include <string>
#include <vector>

namespace files {

struct ListedComponent {
  broch_dl_type type{};
  std::vector<int64_t> shape;
  std::vector<char> bytes;  // row-major
};

// text: a list of points, each a list of components. dtypes: of the components; empty: float32.
// Throws Error (INVALID_ARGUMENT) that begins with the JSON pointer below the component.
std::vector<std::vector<ListedComponent>> listed_points(const std::string& text,
                                                        const std::vector<std::string>& dtypes);

}  // namespace files
