// rows.hpp: gradients of tables that come as rows: sparse tensors, see CompileOptions.
#pragma once
#include <optional>

#include "compiler/aten.hpp"
#include "kernels/embedding.hpp"
#include "names.hpp"

namespace broch::libtorch {

// Rows of a float32 table on the CPU. Lives as long as the tensor.
struct Rows {
  const int64_t* indices = nullptr;
  int64_t size = 0;
  const float* values = nullptr;  // (size, width)
  int64_t stride = 0;             // from one row of them to the next
  at::IntArrayRef table;          // sizes

  kernels::RowScatter scatter(float scale) const {
    return {indices, size, table[1], stride, scale};
  }
};
// nullopt: it is something else.
std::optional<Rows> rows_of(const at::Tensor& tensor);

// Rows that repeat are added up in their order, the others are zero; a dense tensor is itself.
at::Tensor whole(const at::Tensor& tensor);

}  // namespace broch::libtorch
