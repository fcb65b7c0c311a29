// sums.cpp: sums over rows, which are the gradients of biases.
#include "kernels/gemm.hpp"
#include "lower.hpp"

namespace broch::passes {

size_t sum_columns(Program& program) {
  size_t changes = 0;
  for (Node& node : program.nodes) {
    if (!node.is("aten::sum.dim_IntList")) continue;
    const int from = node.argument_view(0), to = node.result_view(0);
    if (!is_dense_float(program, from) || !is_dense_float(program, to) ||
        program.views[from].sizes.empty() || integers_argument(node, 1) != std::vector<int64_t>{0})
      continue;
    const int64_t rows = program.views[from].sizes[0], columns = program.views[to].elements();
    if (columns < 2) continue;  // LibTorch sums a single column with vectors and threads
    lower(node, "column_sums", [=](const Binder& binder) {
      return [=, matrix = at_address<float>(binder, from), out = at_address<float>(binder, to)] {
        kernels::column_sums(matrix, rows, columns, columns, out, false);
      };
    });
    ++changes;
  }
  return changes;
}

}  // namespace broch::passes
