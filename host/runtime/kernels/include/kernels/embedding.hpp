// embedding.hpp: rows of a table, alone or in bags, and the gradients that go back into its rows.
//
// Every index is from 0 to the table's rows - 1: the caller has checked them.
// Rounding: rows of a bag are added in their order; gather is exact, level fast for the rest.
#pragma once
#include <cstdint>

namespace broch::kernels {

struct Table {
  const float* data = nullptr;  // (rows, width), contiguous
  int64_t width = 0;
};

// out(size, width) = the rows at `indices`.
void gather_rows(const Table& table, const int64_t* indices, int64_t size, float* out) noexcept;

// gradient(rows, width) += scale * d_out(size, width) at the rows of `indices`, in their order; an
// index equal to `padding` is left out (-1: none). With scale -learning rate: SGD on the table.
struct RowScatter {
  const int64_t* indices = nullptr;
  int64_t size = 0, width = 0, padding = -1;
  float scale = 1;
};
void scatter_add_rows(const RowScatter& scatter, const float* d_out, float* gradient) noexcept;

// Bag i holds indices [offsets[i], offsets[i + 1]), the last one up to `size`.
struct Bags {
  const int64_t* indices = nullptr;
  int64_t size = 0;
  const int64_t* offsets = nullptr;
  int64_t count = 0;
  bool mean = false;  // else the sum; an empty bag gives zeros
};

// out(end - begin, width), for bags [begin, end).
void embedding_bag(const Table& table, const Bags& bags, int64_t begin, int64_t end,
                   float* out) noexcept;

// gradient(rows, width) += scale * d_out(count, width) spread over the rows of each bag.
void embedding_bag_backward(const Bags& bags, const float* d_out, int64_t width, float scale,
                            float* gradient) noexcept;

}  // namespace broch::kernels
