// matmul.cpp: mm and addmm without LibTorch's overhead: calls MKL's sgemm with the arguments that
// LibTorch would choose, or at level fast our own product, fused with what follows.
#include <algorithm>
#include <cstring>

#include "kernels/gemm.hpp"
#include "lower.hpp"
#include "product_division.hpp"

// MKL's function, which LibTorch contains.
extern "C" void sgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n,
                       const int* k, const float* alpha, const float* a, const int* lda,
                       const float* b, const int* ldb, const float* beta, float* c, const int* ldc);

namespace broch::passes {
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
  if (std::max({product.c.rows, product.c.columns, product.a.columns}) > INT32_MAX) return false;
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
  bool accumulate = false;  // add to what C contains
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

kernels::GemmShape shape_of(const Product& product) {
  return {product.c.rows,
          product.c.columns,
          product.a.columns,
          {product.a.row_stride, product.a.column_stride},
          {product.b.row_stride, product.b.column_stride},
          product.c.columns};
}

kernels::GemmEpilogue epilogue_of(const Binder& binder, const Product& product,
                                  const Fused& fused) {
  kernels::GemmEpilogue epilogue;
  if (product.bias != kNoView) epilogue.bias = at_address<float>(binder, product.bias);
  epilogue.accumulate = fused.accumulate;
  epilogue.relu = fused.relu;
  if (fused.gate != kNoView) {
    epilogue.gate = at_address<float>(binder, fused.gate);
    epilogue.gate_row = product.c.columns;
  }
  return epilogue;
}

std::string name_of(const Product& product, const Fused& fused) {
  std::string name = "gemm";
  if (product.bias != kNoView) name += "+bias";
  if (fused.accumulate) name += "+add";
  if (fused.relu) name += "+relu";
  if (fused.gate != kNoView) name += "+gate";
  return name;
}

// B is the same in every run, and is packed once.
void lower_to_packed(Program& program, Node& node, const Product& product, const Fused& fused) {
  const kernels::PackedGemmPlan plan(shape_of(product));
  const Division division(shape_of(product), plan.panel());
  const int packed = add_prepared(program, "gemm_pack", product.b.view, plan.packed_size(),
                                  [plan](const float* from, float* to) { plan.pack(from, to); });
  append_new(node.reads, program.views[packed].buffer);
  const int c = fused.result == kNoView ? product.c.view : fused.result;
  lower(node, name_of(product, fused), [=](const Binder& binder) {
    return [=, epilogue = epilogue_of(binder, product, fused),
            a = at_address<float>(binder, product.a.view), b = at_address<float>(binder, packed),
            out = at_address<float>(binder, c)] {
      division.parts.run([&](int64_t begin, int64_t end, int64_t) {
        plan.run(a, b, out, epilogue, division.part(plan.whole(), begin, end));
      });
    };
  });
}

void lower_to_plan(Program& program, Node& node, const Product& product, const Fused& fused) {
  if (is_fixed(program, product.b.view)) return lower_to_packed(program, node, product, fused);
  constexpr int64_t kColumns = 64;  // of the widest panel
  const kernels::GemmPlan plan(shape_of(product));
  const Division division(shape_of(product), kColumns);
  const int64_t each = plan.scratch_size();
  const int scratch = add_scratch(program, node, each * division.parts.count);
  const int c = fused.result == kNoView ? product.c.view : fused.result;
  lower(node, name_of(product, fused), [=](const Binder& binder) {
    return [=, epilogue = epilogue_of(binder, product, fused),
            a = at_address<float>(binder, product.a.view),
            b = at_address<float>(binder, product.b.view), out = at_address<float>(binder, c),
            memory = at_address<float>(binder, scratch)] {
      division.parts.run([&](int64_t begin, int64_t end, int64_t part) {
        plan.run(a, b, out, epilogue, memory + part * each,
                 division.part(plan.whole(), begin, end));
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

// What follows the product at i and can be fused with it, taken over.
Fused taken_over(Program& program, Uses& uses, size_t i, const Product& product) {
  if (const auto sum = accumulate(program, uses, i, product.c.view))
    return {.accumulate = true, .relu = sum->relu};
  const auto reader = uses.only_reader(program, program.views[product.c.view].buffer);
  // Fused only if the gate is no result of the product and no call in between writes to it.
  if (!reader || *reader < i) return {};
  const Fused fused = following(program, product, program.nodes[*reader]);
  if (fused.result == kNoView) return {};
  if (fused.gate != kNoView && std::ranges::any_of(uses.writers[program.views[fused.gate].buffer],
                                                   [&](size_t writer) { return writer >= i; }))
    return {};
  take_over(program, program.nodes[i], program.nodes[*reader], product);
  return fused;
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
  Uses uses(program);
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    Node& node = program.nodes[i];
    const auto product = product_of(program, node);
    if (!product) continue;
    ++changes;
    lower_to_plan(program, node, *product, taken_over(program, uses, i, *product));
  }
  drop_absorbed(program.nodes);
  return changes;
}

}  // namespace broch::passes
