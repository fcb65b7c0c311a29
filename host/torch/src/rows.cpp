// rows.cpp: reads rows from LibTorch's sparse layout.
#include "rows.hpp"

#include <ATen/SparseTensorImpl.h>
#include <ATen/ops/zeros.h>

namespace broch::libtorch {

std::optional<Rows> rows_of(const at::Tensor& tensor) {
  if (!tensor.defined() || tensor.layout() != at::kSparse || !tensor.device().is_cpu())
    return std::nullopt;
  const auto* const impl = static_cast<const at::SparseTensorImpl*>(tensor.unsafeGetTensorImpl());
  const at::Tensor indices = impl->indices(), values = impl->values();
  if (impl->sparse_dim() != 1 || impl->dense_dim() != 1 || values.scalar_type() != at::kFloat ||
      !indices.is_contiguous() || (values.stride(1) != 1 && values.size(1) > 1))
    return std::nullopt;
  return Rows{indices.const_data_ptr<int64_t>(), values.size(0), values.const_data_ptr<float>(),
              values.stride(0), tensor.sizes()};
}

at::Tensor whole(const at::Tensor& tensor) {
  if (tensor.layout() != at::kSparse) return tensor;
  const auto rows = rows_of(tensor);
  if (!rows) return tensor.to_dense();
  const at::Tensor table = at::zeros(tensor.sizes(), tensor.options().layout(at::kStrided));
  kernels::scatter_add_rows(rows->scatter(1), rows->values, table.mutable_data_ptr<float>());
  return table;
}

}  // namespace broch::libtorch
