// rows.hpp: gradients of tables as rows, which are sparse tensors, see CompileOptions.
#pragma once
#include <optional>

#include "compiler/aten.hpp"
#include "kernels/embedding.hpp"
#include "names.hpp"

namespace broch::libtorch {

// Rows of a float32 table on the CPU. Valid as long as the tensor.
struct Rows {
  const int64_t* indices = nullptr;
  int64_t size = 0;
  const float* values = nullptr;  // (size, width)
  int64_t stride = 0;             // the distance between rows
  at::IntArrayRef table;          // the shape of the table

  kernels::RowScatter scatter(float scale) const {
    return {indices, size, table[1], stride, scale};
  }
};
// nullopt if the tensor is not such rows.
std::optional<Rows> rows_of(const at::Tensor& tensor);

// A sparse tensor as a dense one: repeated rows are added in their order, and missing rows are
// zero. A dense tensor is returned as it is.
at::Tensor whole(const at::Tensor& tensor);

}  // namespace broch::libtorch
