// values.hpp: elements of other types and in another order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "store/dtype.hpp"

namespace broch::weights {

bool is_float(store::Dtype dtype);
// Whether every value of `from` is one of `to`.
bool holds(store::Dtype to, store::Dtype from);

// Numbers as numbers of another type, rounded to the nearest, ties to even. What is too large for
// float16 becomes infinite. REQUIRES: both are floats, or holds(to, from).
std::vector<std::byte> converted(std::span<const std::byte> bytes, store::Dtype from,
                                 store::Dtype to);

// The element `from` as a double, and a double as an element. Exact for floats; REQUIRES a float.
double to_double(const std::byte* from, store::Dtype dtype);
void from_double(double value, std::byte* to, store::Dtype dtype);

// Moves the last two dimensions to the front, swapped: dense (in, out) becomes (out, in), and
// convolution (height, width, in, out) becomes (out, in, height, width). REQUIRES: 2 or more
// dimensions.
std::vector<int64_t> transposed(const std::vector<int64_t>& shape);
std::vector<std::byte> transposed(std::span<const std::byte> bytes,
                                  const std::vector<int64_t>& shape, uint64_t element_size);

// Copies elements that lie `strides` apart in `from` into a row-major `to`. strides: in elements.
void gather(const std::byte* from, const std::vector<int64_t>& shape,
            const std::vector<int64_t>& strides, uint64_t element_size, std::byte* to);

}  // namespace broch::weights
