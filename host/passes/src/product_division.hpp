// product_division.hpp: which part of a matrix product each thread computes.
#pragma once
#include "kernels/gemm.hpp"
#include "lower.hpp"
#include "parts.hpp"

namespace broch::passes {

// The rows of a product divided among threads, or the columns if there are more of them. panel:
// parts of the columns have to begin at a multiple of it.
struct Division {
  Parts parts;
  bool by_rows;

  Division(const kernels::GemmShape& shape, int64_t panel)
      : parts(shape.m >= shape.n ? shape.m : shape.n,
              2.0 * static_cast<double>(shape.m * shape.n) * static_cast<double>(shape.k),
              shape.m >= shape.n ? kRows : panel),
        by_rows(shape.m >= shape.n) {}

  kernels::GemmRange part(kernels::GemmRange range, int64_t begin, int64_t end) const {
    (by_rows ? range.row_begin : range.column_begin) = begin;
    (by_rows ? range.row_end : range.column_end) = end;
    return range;
  }

 private:
  static constexpr int64_t kRows = 8;  // of a block of a kernel
};

}  // namespace broch::passes
