// activations.cpp: gelu, its derivative, and tanh.
#include "kernels/gelu.hpp"
#include "kernels/tanh.hpp"
#include "lower.hpp"
#include "parts.hpp"

namespace broch::passes {
namespace {

bool lower_gelu(const Program& program, Node& node) {
  const bool backward = node.is("aten::gelu_backward");
  if (!backward && !node.is("aten::gelu")) return false;
  const size_t inputs = backward ? 2 : 1;
  const int result = node.result_view(0);
  for (size_t i = 0; i < inputs; ++i)
    if (!same_memory(program, node.argument_view(i), result)) return false;
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
    constexpr double kCost = 20;  // as much as an exponential
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

bool lower_tanh(const Program& program, Node& node) {
  if (!node.is("aten::tanh")) return false;
  const int x = node.argument_view(0), y = node.result_view(0);
  if (!same_memory(program, x, y)) return false;
  lower(node, "tanh", [=, count = program.views[y].elements()](const Binder& binder) -> Kernel {
    return [=, from = at_address<float>(binder, x), to = at_address<float>(binder, y)] {
      constexpr double kCost = 20;  // as much as an exponential
      in_parallel(count, kCost, [&](int64_t begin, int64_t end) {
        kernels::tanh(from + begin, to + begin, end - begin);
      });
    };
  });
  return true;
}

}  // namespace

size_t lower_activations(Program& program) {
  size_t changes = 0;
  for (Node& node : program.nodes)
    changes += lower_gelu(program, node) || lower_tanh(program, node);
  return changes;
}

}  // namespace broch::passes
