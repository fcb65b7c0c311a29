// activations.cpp: gelu and table look-ups, with their derivatives.
#include <cstring>

#include "base/error.hpp"
#include "kernels/embedding.hpp"
#include "kernels/gelu.hpp"
#include "lower.hpp"

namespace broch::runtime {
namespace {

bool lower_gelu(const Program& program, Node& node) {
  const bool backward = node.is("aten::gelu_backward");
  if (!backward && !node.is("aten::gelu")) return false;
  const size_t inputs = backward ? 2 : 1;
  const int result = node.result_view(0);
  if (!is_dense_float(program, result)) return false;
  for (size_t i = 0; i < inputs; ++i)
    if (!is_dense_float(program, node.argument_view(i))) return false;
  const c10::IValue& form_name = node.arguments[inputs].value;
  if (!form_name.isString()) return false;
  const kernels::Gelu form =
      form_name.toStringRef() == "tanh" ? kernels::Gelu::tanh : kernels::Gelu::erf;
  const int64_t count = program.views[result].elements();
  const int first = node.argument_view(0), x = node.argument_view(inputs - 1);
  lower(node, backward ? "gelu_backward" : "gelu", [=](const Binder& binder) -> Kernel {
    auto* const dy = at_address<float>(binder, first);
    auto* const from = at_address<float>(binder, x);
    auto* const to = at_address<float>(binder, result);
    constexpr double kCost = 20;  // an exponential
    return [=] {
      in_parallel(count, kCost, [&](int64_t begin, int64_t end) {
        if (backward)
          kernels::gelu_backward(form, dy + begin, from + begin, to + begin, end - begin);
        else
          kernels::gelu(form, from + begin, to + begin, end - begin);
      });
    };
  });
  return true;
}

void check_indices(const int64_t* indices, int64_t count, int64_t rows) {
  for (int64_t i = 0; i < count; ++i)
    if (indices[i] < 0 || indices[i] >= rows)
      throw base::Error(base::Exit::training,
                        base::Complaint{"embedding", "index " + std::to_string(indices[i]),
                                        "0 to " + std::to_string(rows - 1),
                                        "correct the data, or give the table more rows"});
}

bool lower_embedding(const Program& program, Node& node) {
  if (!node.is("aten::embedding")) return false;
  const int table = node.argument_view(0), indices = node.argument_view(1);
  const int result = node.result_view(0);
  if (!is_dense_float(program, table) || !is_dense_float(program, result) || indices == kNoView ||
      program.views[table].sizes.size() != 2 || program.views[indices].dtype != at::kLong ||
      !program.views[indices].contiguous())
    return false;
  const int64_t rows = program.views[table].sizes[0], width = program.views[table].sizes[1];
  const int64_t count = program.views[indices].elements();
  lower(node, "gather_rows", [=](const Binder& binder) {
    return [=, from = kernels::Table{at_address<float>(binder, table), width},
            places = at_address<int64_t>(binder, indices), to = at_address<float>(binder, result)] {
      check_indices(places, count, rows);
      kernels::gather_rows(from, places, count, to);
    };
  });
  return true;
}

bool lower_embedding_backward(const Program& program, Node& node) {
  if (!node.is("aten::embedding_dense_backward") || flag_argument(node, 4, true)) return false;
  const int upstream = node.argument_view(0), indices = node.argument_view(1);
  const int result = node.result_view(0);
  if (!is_dense_float(program, upstream) || !is_dense_float(program, result) ||
      program.views[indices].dtype != at::kLong || !program.views[indices].contiguous())
    return false;
  const int64_t rows = program.views[result].sizes[0], width = program.views[result].sizes[1];
  kernels::RowScatter scatter;
  scatter.size = program.views[indices].elements();
  scatter.width = width;
  scatter.padding = integer_argument(node, 3, -1);
  lower(node, "scatter_add_rows", [=](const Binder& binder) {
    kernels::RowScatter call = scatter;
    call.indices = at_address<int64_t>(binder, indices);
    return [=, from = at_address<float>(binder, upstream), to = at_address<float>(binder, result)] {
      check_indices(call.indices, call.size, rows);
      std::memset(to, 0, static_cast<size_t>(rows * width) * sizeof(float));
      kernels::scatter_add_rows(call, from, to);
    };
  });
  return true;
}

}  // namespace

size_t lower_activations(Program& program) {
  size_t changes = 0;
  for (Node& node : program.nodes)
    changes += lower_gelu(program, node) || lower_embedding(program, node) ||
               lower_embedding_backward(program, node);
  return changes;
}

}  // namespace broch::runtime
