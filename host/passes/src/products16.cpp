// products16.cpp: mm and addmm in bfloat16 by our own kernel, with the casts around them: it reads
// float32 where the program would cast an operand first, and writes float32 where it would cast the
// result back. What is then left of bfloat16 is widened, see widen.cpp.

#include "kernels/gemm16.hpp"
#include "lower.hpp"
#include "product_division.hpp"

namespace broch::passes {
namespace {

using kernels::Number;

bool is_half(const View& view) {
  return view.dtype == at::kBFloat16 && !view.conjugate && !view.negative;
}

// What call `at` can read in place of the view: the float32 that it was cast from, if any.
int operand_of(Program& program, const Uses& uses, size_t at, int number) {
  const View view = program.views[number];
  if (uses.writers[view.buffer].size() != 1) return number;
  const size_t writer = uses.writers[view.buffer][0];
  const Node& cast = program.nodes[writer];
  if (!is_plain_cast(program, uses, cast, at::kBFloat16)) return number;
  const View& from = program.views[cast.argument_view(0)];
  if (uses.written_between(from.buffer, writer, at)) return number;
  View source = view;
  source.buffer = from.buffer;
  source.offset += from.offset - program.views[cast.result_view(0)].offset;
  source.dtype = at::kFloat;
  return program.view_number(source);
}

bool has_contiguous_lines(const View& view) {
  return view.sizes.size() == 2 && (view.strides[0] == 1 || view.strides[1] == 1) &&
         view.strides[0] > 0 && view.strides[1] > 0;
}

struct Product {
  kernels::GemmShape shape;
  int a, b, c, bias = kNoView;  // views
};

bool is_product(const Program& program, const Node& node) {
  const bool adds = node.is("aten::addmm");
  if (!adds && !node.is("aten::mm")) return false;
  const size_t first = adds ? 1 : 0;
  const View& a = program.views[node.argument_view(first)];
  const View& b = program.views[node.argument_view(first + 1)];
  const View& c = program.views[node.result_view(0)];
  if (!is_half(a) || !is_half(b) || !is_half(c) || !c.contiguous() || a.elements() == 0 ||
      b.elements() == 0 || !has_contiguous_lines(a) || !has_contiguous_lines(b))
    return false;
  if (!adds) return true;
  const View& bias = program.views[node.argument_view(0)];
  return number_argument(node, 3, 1) == 1 && number_argument(node, 4, 1) == 1 && is_half(bias) &&
         bias.contiguous() && bias.sizes == std::vector<int64_t>{c.sizes[1]};
}

// The product of call `at`, which reads from here on what its operands were cast from.
Product product_of(Program& program, const Uses& uses, size_t at) {
  const bool adds = program.nodes[at].is("aten::addmm");
  const size_t first = adds ? 1 : 0;
  const auto operand = [&](size_t i) {
    return operand_of(program, uses, at, program.nodes[at].argument_view(i));
  };
  Product product{{}, operand(first), operand(first + 1), program.nodes[at].result_view(0)};
  if (adds) product.bias = operand(0);
  const View &a = program.views[product.a], &b = program.views[product.b];
  product.shape = {a.sizes[0],
                   b.sizes[1],
                   a.sizes[1],
                   {a.strides[0], a.strides[1]},
                   {b.strides[0], b.strides[1]},
                   b.sizes[1]};
  Node& node = program.nodes[at];
  node.arguments[first].views = {product.a};
  node.arguments[first + 1].views = {product.b};
  if (adds) node.arguments[0].views = {product.bias};
  node.reads.clear();
  for (const int view : {product.a, product.b, product.bias})
    if (view != kNoView) append_new(node.reads, program.views[view].buffer);
  return product;
}

// A cast of the whole product to float32, which alone reads it, is taken over.
void take_cast_over(Program& program, const Uses& uses, size_t at, Product& product) {
  const int buffer = program.views[product.c].buffer;
  const auto reader = uses.only_reader(program, buffer);
  if (!reader || *reader < at) return;
  Node& cast = program.nodes[*reader];
  const View& c = program.views[product.c];
  if (!is_plain_cast(program, uses, cast, at::kFloat)) return;
  const View& read = program.views[cast.argument_view(0)];
  const View& made = program.views[cast.result_view(0)];
  if (read.offset != c.offset || !read.contiguous() || read.elements() != c.elements() ||
      made.offset != 0)
    return;
  product.c = cast.result_view(0);
  Node& node = program.nodes[at];
  node.results = cast.results;
  node.makes = cast.makes;
  node.writes = cast.writes;
  absorb(cast);
}

// As the operand is stored in the end: what is bfloat16 here may be widened by a later pass.
Number number_of(const Binder& binder, int view) {
  const bool is_float = binder.tensor(view).scalar_type() == at::kFloat;
  return is_float ? Number::float32 : Number::bfloat16;
}

void lower_to_plan(Program& program, Node& node, const Product& product) {
  constexpr int64_t kColumns = 32;  // of a panel
  const Division division(product.shape, kColumns);
  const int64_t each = kernels::Gemm16Plan({product.shape}).scratch_size();
  const int scratch = add_scratch(program, node, each * division.parts.count);
  lower(node, product.bias == kNoView ? "gemm16" : "gemm16+bias", [=](const Binder& binder) {
    const kernels::Gemm16Plan plan({product.shape, number_of(binder, product.a),
                                    number_of(binder, product.b), number_of(binder, product.c)});
    kernels::Gemm16Epilogue epilogue;
    if (product.bias != kNoView) {
      epilogue.bias = binder.address(product.bias);
      epilogue.bias_number = number_of(binder, product.bias);
    }
    return [=, a = binder.address(product.a), b = binder.address(product.b),
            c = binder.address(product.c), memory = at_address<float>(binder, scratch)] {
      division.parts.run([&](int64_t begin, int64_t end, int64_t part) {
        plan.run(a, b, c, epilogue, memory + part * each, division.part(plan.whole(), begin, end));
      });
    };
  });
}

// Casts that the products do not need any more.
void drop_unread_casts(Program& program) {
  const Uses uses(program);
  for (Node& node : program.nodes)
    if (is_plain_cast(program, uses, node, at::kBFloat16) && uses.readers[node.makes[0]].empty() &&
        !uses.wanted[node.makes[0]])
      absorb(node);
}

}  // namespace

size_t lower_products16(Program& program) {
  if (!kernels::has_gemm16()) return 0;
  size_t changes = 0;
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    if (!is_product(program, program.nodes[i])) continue;
    const Uses uses(program);
    Product product = product_of(program, uses, i);
    take_cast_over(program, uses, i, product);
    lower_to_plan(program, program.nodes[i], product);
    ++changes;
  }
  drop_unread_casts(program);
  drop_absorbed(program.nodes);
  return changes;
}

}  // namespace broch::passes
