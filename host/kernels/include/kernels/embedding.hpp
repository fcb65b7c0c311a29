// embedding.hpp: looks up rows of a table, single rows or bags of rows, and computes the gradients
// of the rows.
//
// REQUIRES: each index is from 0 to the table's rows - 1, see are_valid().
// Rounding: the rows of a bag are added in their order, starting from +0, as in LibTorch; so are
// the gradients of a row. Means are rounded in another way.
#pragma once
#include <cstdint>

namespace broch::kernels {

struct Table {
  const float* data = nullptr;  // (rows, width), contiguous
  int64_t width = 0;
};

// gradient(rows, width) += scale * d_out(size, width), at the rows that `indices` gives and in
// their order. Zeros of d_out count as +0. If scale is the negative learning rate, this is a step
// of SGD.
struct RowScatter {
  const int64_t* indices = nullptr;
  int64_t size = 0, width = 0;
  int64_t stride = 0;  // the distance between rows of d_out
  float scale = 1;
};
void scatter_add_rows(const RowScatter& scatter, const float* d_out, float* gradient) noexcept;

// Bag i contains the indices [offsets[i], offsets[i + 1]), and the last bag those up to `size`.
// Without offsets, bag i is index i alone, whose row is copied.
struct Bags {
  const int64_t* indices = nullptr;
  int64_t size = 0;
  const int64_t* offsets = nullptr;
  int64_t count = 0;
  bool mean = false;     // false: the sum; an empty bag gives zeros
  int64_t padding = -1;  // an index that gets no gradient; -1: none
};

// Whether each index is valid for a table with this number of rows, and offsets begin with 0, never
// decrease and are at most `size`.
bool are_valid(const Bags& bags, int64_t rows) noexcept;

// out(end - begin, width) for the bags [begin, end). `stride` is the distance between rows of out.
void embedding_bag(const Table& table, const Bags& bags, int64_t begin, int64_t end, float* out,
                   int64_t stride) noexcept;

// One row for each bag.
struct BagRows {
  const float* data = nullptr;
  int64_t width = 0, stride = 0;  // stride: the distance between rows
};

// gradient(rows, width) += d_out, added to each row of the bag, in the order of the indices.
void embedding_bag_backward(const Bags& bags, const BagRows& d_out, float* gradient) noexcept;

// The same gradient without the rows that no index refers to. In rows(size, width), the first place
// of each index gets the sum for its row of the table, added in the order of the indices. The later
// places of the index, and the places of padding, get zeros.
//
// `slots` is scratch memory for slots_to_merge(size) numbers. REQUIRES: size < 2^30.
struct MergedRows {
  float* data = nullptr;  // may be the data of d_out if each bag is one index
  int64_t stride = 0;
  int32_t* slots = nullptr;
};
int64_t slots_to_merge(int64_t size) noexcept;
void merge_rows(const Bags& bags, const BagRows& d_out, const MergedRows& to) noexcept;

// Whether some index occurs three times or more: then the order of its rows affects the bits of
// their sum. `slots` is as above.
bool meets_thrice(const Bags& bags, int32_t* slots) noexcept;

// merge_rows with the places in another order. bags[i] is the bag of place i.
struct MergeOrder {
  const int64_t* places = nullptr;
  const int64_t* bags = nullptr;
};
void merge_rows_in(const MergeOrder& order, const Bags& bags, const BagRows& d_out,
                   const MergedRows& to) noexcept;
// Writes the bag of each place. The offsets must be sorted.
void bag_of_each(const Bags& bags, int64_t* to) noexcept;

}  // namespace broch::kernels
