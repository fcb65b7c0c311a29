// embedding.hpp: rows of a table, alone or in bags, and the gradients that go back into its rows.
//
// Every index is from 0 to the table's rows - 1: the caller has checked them.
// Rounding: rows of a bag are added in their order from +0, as in LibTorch, and so are gradients of
// a row; means are rounded as they come.
#pragma once
#include <cstdint>

namespace broch::kernels {

struct Table {
  const float* data = nullptr;  // (rows, width), contiguous
  int64_t width = 0;
};

// gradient(rows, width) += scale * d_out(size, width) at the rows of `indices`, in their order;
// zeros of d_out count as +0. With scale -learning rate: SGD on the table.
struct RowScatter {
  const int64_t* indices = nullptr;
  int64_t size = 0, width = 0;
  int64_t stride = 0;  // from one row of d_out to the next
  float scale = 1;
};
void scatter_add_rows(const RowScatter& scatter, const float* d_out, float* gradient) noexcept;

// Bag i holds indices [offsets[i], offsets[i + 1]), the last one up to `size`; without offsets it
// is index i alone, and its row is copied.
struct Bags {
  const int64_t* indices = nullptr;
  int64_t size = 0;
  const int64_t* offsets = nullptr;
  int64_t count = 0;
  bool mean = false;     // else the sum; an empty bag gives zeros
  int64_t padding = -1;  // an index that gets no gradient; -1: none
};

// Whether every index is one of a table with so many rows, and offsets go from 0 to size at most
// without falling.
bool are_valid(const Bags& bags, int64_t rows) noexcept;

// out(end - begin, width), for bags [begin, end); stride: from one row of out to the next.
void embedding_bag(const Table& table, const Bags& bags, int64_t begin, int64_t end, float* out,
                   int64_t stride) noexcept;

// A row each bag.
struct BagRows {
  const float* data = nullptr;
  int64_t width = 0, stride = 0;  // from one row to the next
};

// gradient(rows, width) += d_out spread over the rows of each bag, in the order of the indices.
void embedding_bag_backward(const Bags& bags, const BagRows& d_out, float* gradient) noexcept;

// What reaches each row of the gradient above, without the rows that nothing reaches:
// rows(size, width) has at the first place of an index the sum for its row, added up in the order
// of the indices, and zeros at its later places and at those of padding.
//
// slots: slots_to_merge(size) numbers of scratch memory. REQUIRES: size < 2^30.
struct MergedRows {
  float* data = nullptr;  // may be those of d_out where each bag is one index
  int64_t stride = 0;
  int32_t* slots = nullptr;
};
int64_t slots_to_merge(int64_t size) noexcept;
void merge_rows(const Bags& bags, const BagRows& d_out, const MergedRows& to) noexcept;

// Whether some index is there three times or more, so that the order of its rows has a say in the
// bits of their sum. slots as above.
bool meets_thrice(const Bags& bags, int32_t* slots) noexcept;

// merge_rows in another order of the places; bags: the bag of each place.
struct MergeOrder {
  const int64_t* places = nullptr;
  const int64_t* bags = nullptr;
};
void merge_rows_in(const MergeOrder& order, const Bags& bags, const BagRows& d_out,
                   const MergedRows& to) noexcept;
// The bag of each place, for sorted offsets.
void bag_of_each(const Bags& bags, int64_t* to) noexcept;

}  // namespace broch::kernels
