// matmul.cpp: mm and addmm without LibTorch's overhead: calls MKL's sgemm with the arguments that
// LibTorch would choose, or at level fast our own product, fused with what follows.
#include <algorithm>
#include <cstring>

#include "kernels/gemm.hpp"
#include "lower.hpp"

// MKL's function, which LibTorch contains.
extern "C" void sgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n,
                       const int* k, const float* alpha, const float* a, const int* lda,
                       const float* b, const int* ldb, const float* beta, float* c, const int* ldc);

namespace broch::compiler {
namespace {

// C(m, n) = A(m, k) B(k, n), plus a bias for each column.
struct Product {
  Matrix a, b, c;
  int bias = kNoView;  // (n)
};

bool is_plain(const Node& node) {  // beta = alpha = 1
  return number_argument(node, 3, 1) == 1 && number_argument(node, 4, 1) == 1;
}

std::optional<Product> product_of(const Program& program, const Node& node) {
  const bool adds = node.is("aten::addmm");
  if (!adds && !node.is("aten::mm")) return std::nullopt;
  const size_t first = adds ? 1 : 0;
  const auto a = matrix_of(program, node.argument_view(first));
  const auto b = matrix_of(program, node.argument_view(first + 1));
  const auto c = matrix_of(program, node.result_view(0));
  if (!a || !b || !c || !program.views[c->view].contiguous() || !a->rows || !a->columns ||
      !b->columns)
    return std::nullopt;
  Product product{*a, *b, *c, kNoView};
  if (adds) {
    const int bias = node.argument_view(0);
    if (!is_plain(node) || !is_dense_float(program, bias) ||
        program.views[bias].sizes != std::vector<int64_t>{c->columns})
      return std::nullopt;
    product.bias = bias;
  }
  return product;
}

// An operand as Fortran needs it, with contiguous columns.
struct Operand {
  char transpose;
  int leading;
};

// LibTorch computes C^T = B^T A^T, because a row-major matrix is the transpose of a column-major
// one. nullopt: LibTorch would first copy the operand.
std::optional<Operand> operand_of(const Matrix& matrix) {
  const auto leading = [](int64_t stride, int64_t least) {
    return stride >= std::max<int64_t>(1, least) && stride <= INT32_MAX;
  };
  if (matrix.column_stride == 1 && leading(matrix.row_stride, matrix.columns))
    return Operand{'n', static_cast<int>(matrix.row_stride)};
  if (matrix.row_stride == 1 && leading(matrix.column_stride, matrix.rows))
    return Operand{'t', static_cast<int>(matrix.column_stride)};
  return std::nullopt;
}

// Gives the bits of at::mm and at::addmm. With a single row or column LibTorch computes
// differently.
bool lower_to_sgemm(Node& node, const Product& product) {
  const auto a = operand_of(product.a), b = operand_of(product.b);
  if (!a || !b || product.a.rows == 1 || product.b.columns == 1 || product.a.columns == 1)
    return false;
  lower(node, product.bias == kNoView ? "sgemm" : "sgemm+bias", [=](const Binder& binder) {
    const auto* x = at_address<float>(binder, product.a.view);
    const auto* y = at_address<float>(binder, product.b.view);
    auto* z = at_address<float>(binder, product.c.view);
    const float* bias = product.bias == kNoView ? nullptr : at_address<float>(binder, product.bias);
    return [=, a = *a, b = *b, rows = static_cast<int>(product.c.rows),
            columns = static_cast<int>(product.c.columns),
            inner = static_cast<int>(product.a.columns)] {
      if (bias)
        for (int i = 0; i < rows; ++i)
          std::memcpy(z + int64_t{i} * columns, bias, static_cast<size_t>(columns) * sizeof(float));
      const float one = 1, add = bias ? 1.F : 0.F;
      sgemm_(&b.transpose, &a.transpose, &columns, &rows, &inner, &one, y, &b.leading, x,
             &a.leading, &add, z, &columns);
    };
  });
  return true;
}

// An elementwise call after the product that can be fused with it.
struct Fused {
  bool relu = false;
  int gate = kNoView;  // (m, n): C is 0 where it is not positive
  int result = kNoView;
};

bool same_matrix(const Program& program, int view, const Matrix& c) {
  return is_dense_float(program, view) && program.views[view].elements() == c.rows * c.columns;
}

// A relu of the product, or the derivative of a relu.
Fused following(const Program& program, const Product& product, const Node& next) {
  Fused fused;
  const auto is_product = [&](int view) {
    return view != kNoView && program.views[view].buffer == program.views[product.c.view].buffer &&
           same_matrix(program, view, product.c);
  };
  const int result = next.results.empty() ? kNoView : next.result_view(0);
  if (result == kNoView || !same_matrix(program, result, product.c)) return fused;
  if (next.is("aten::relu") && is_product(next.argument_view(0))) {
    fused.relu = true;
    fused.result = result;
  }
  if (next.is("aten::threshold_backward") && is_product(next.argument_view(0)) &&
      number_argument(next, 2, 1) == 0 && same_matrix(program, next.argument_view(1), product.c)) {
    fused.gate = next.argument_view(1);
    fused.result = result;
  }
  return fused;
}

// Divides the rows among threads, or the columns if there are more of them.
Parts parts_of(const kernels::GemmShape& shape) {
  constexpr int64_t kRows = 8, kColumns = 64;  // the block size of a kernel
  const double work = 2.0 * static_cast<double>(shape.m * shape.n) * static_cast<double>(shape.k);
  return shape.m >= shape.n ? Parts(shape.m, work, kRows) : Parts(shape.n, work, kColumns);
}

void lower_to_plan(Program& program, Node& node, const Product& product, const Fused& fused) {
  const kernels::GemmShape shape{product.c.rows,
                                 product.c.columns,
                                 product.a.columns,
                                 {product.a.row_stride, product.a.column_stride},
                                 {product.b.row_stride, product.b.column_stride},
                                 product.c.columns};
  const kernels::GemmPlan plan(shape);
  const Parts parts = parts_of(shape);
  const bool by_rows = shape.m >= shape.n;
  const int64_t each = plan.scratch_size();
  const int scratch = add_scratch(program, node, each * parts.count);
  std::string name = "gemm";
  if (product.bias != kNoView) name += "+bias";
  if (fused.relu) name += "+relu";
  if (fused.gate != kNoView) name += "+gate";
  const int c = fused.result == kNoView ? product.c.view : fused.result;
  lower(node, std::move(name), [=](const Binder& binder) {
    kernels::GemmEpilogue epilogue;
    if (product.bias != kNoView) epilogue.bias = at_address<float>(binder, product.bias);
    epilogue.relu = fused.relu;
    if (fused.gate != kNoView) {
      epilogue.gate = at_address<float>(binder, fused.gate);
      epilogue.gate_row = product.c.columns;
    }
    return [=, a = at_address<float>(binder, product.a.view),
            b = at_address<float>(binder, product.b.view), out = at_address<float>(binder, c),
            memory = at_address<float>(binder, scratch)] {
      parts.run([&](int64_t begin, int64_t end, int64_t part) {
        kernels::GemmRange range = plan.whole();
        (by_rows ? range.row_begin : range.column_begin) = begin;
        (by_rows ? range.row_end : range.column_end) = end;
        plan.run(a, b, out, epilogue, memory + part * each, range);
      });
    };
  });
}

// Takes over the results of the next call, and what it reads besides the product.
void take_over(Program& program, Node& node, Node& next, const Product& product) {
  const int between = program.views[product.c.view].buffer;
  node.results = next.results;
  node.makes = next.makes;
  node.writes = next.writes;
  for (const int buffer : next.reads)
    if (buffer != between) append_new(node.reads, buffer);
  absorb(next);
}

}  // namespace

size_t call_sgemm(Program& program) {
  if (program.level != Level::bitwise) return 0;
  size_t changes = 0;
  for (Node& node : program.nodes)
    if (const auto product = product_of(program, node)) changes += lower_to_sgemm(node, *product);
  return changes;
}

size_t fuse_products(Program& program) {
  size_t changes = 0;
  const Uses uses(program);
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    Node& node = program.nodes[i];
    const auto product = product_of(program, node);
    if (!product) continue;
    ++changes;
    Fused fused;
    const auto reader = uses.only_reader(program, program.views[product->c.view].buffer);
    // Fused only if no call in between writes to the gate.
    if (reader && *reader > i) fused = following(program, *product, program.nodes[*reader]);
    if (fused.result != kNoView) {
      const bool gate_is_ready =
          fused.gate == kNoView ||
          std::ranges::none_of(uses.writers[program.views[fused.gate].buffer],
                               [&](size_t writer) { return writer > i; });
      if (gate_is_ready) {
        take_over(program, node, program.nodes[*reader], *product);
      } else {
        fused = {};
      }
    }
    lower_to_plan(program, node, *product, fused);
  }
  drop_absorbed(program.nodes);
  return changes;
}

}  // namespace broch::compiler
