// extent.hpp: sizes along the spatial dimensions of a layer, such as a kernel.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "ops.hpp"

namespace broch {
inline namespace v0 {

// One number for each of N dimensions, outermost first: height and width. A single number stands
// for all of them.
template <size_t N>
class Extent {
 public:
  // NOLINTBEGIN(google-explicit-constructor): options are set to plain numbers
  Extent(int64_t all) { values_.fill(all); }
  template <class... More, class = std::enable_if_t<sizeof...(More) + 1 == N && (N > 1)>>
  Extent(int64_t first, More... more) : values_{first, int64_t(more)...} {}
  Extent(const std::array<int64_t, N>& values) : values_(values) {}
  // NOLINTEND(google-explicit-constructor)

  int64_t operator[](size_t dim) const { return values_[dim]; }
  Ints ints() const { return std::vector<int64_t>(values_.begin(), values_.end()); }
  bool is_one_number() const {
    for (const int64_t value : values_)
      if (value != values_[0]) return false;
    return true;
  }
  // "3" or "(3, 5)".
  std::string text() const {
    if (is_one_number()) return std::to_string(values_[0]);
    std::string text;
    for (const int64_t value : values_) text += (text.empty() ? "(" : ", ") + std::to_string(value);
    return text + ")";
  }

 private:
  std::array<int64_t, N> values_;
};

}  // namespace v0
}  // namespace broch
