// autograd.cpp: gradients, and functions with their own derivative.
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <atomic>
#include <unordered_set>

#include "base/log.hpp"
#include "base/text.hpp"
#include "compiler/aten.hpp"
#include "mixed_precision.hpp"
#include "torch_backend.hpp"

namespace broch::libtorch {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using CustomFunction = Backend::CustomFunction;

std::string numbered(const char* what, size_t index) {
  return std::string("gradient, ") + what + " " + std::to_string(index);
}

void check_differentiable(const variable_list& outputs, const variable_list& inputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].defined() && outputs[i].requires_grad()) continue;
    base::fail(
        base::Exit::training, numbered("output", i),
        "found a tensor that was computed without gradients",
        "one that depends on a trainable variable or a tracked tensor",
        "check for no_grad, for operators without a derivative and for kernels without a backward");
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].defined() && inputs[i].requires_grad()) continue;
    base::fail(base::Exit::training, numbered("input", i),
               "found a tensor that requires no gradient",
               "a trainable variable, a tracked tensor, or something computed from these",
               "track it with broch.autograd/1 track before computing with it");
  }
}

void check_grad_outputs(const variable_list& outputs, const variable_list& grad_outputs) {
  if (!grad_outputs.empty() && grad_outputs.size() != outputs.size()) {
    base::fail(base::Exit::training, "gradient",
               "found " + std::to_string(grad_outputs.size()) + " grad_outputs",
               std::to_string(outputs.size()) + ", one for each output", "pass none for ones");
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const bool given = i < grad_outputs.size() && grad_outputs[i].defined();
    if (given || outputs[i].numel() == 1) continue;
    base::fail(base::Exit::training, numbered("output", i),
               "found shape " + c10::str(outputs[i].sizes()), "a scalar, or its grad_outputs",
               "reduce the output, for example to its mean");
  }
}

// The name of leaves that the host has made. Those of other parameters have none.
const std::string kLeaf = "broch";

// Shapes of the leaves behind these tensors that the host has not made: parameters of modules that
// a plugin keeps itself.
std::vector<std::string> other_leaves(const variable_list& outputs) {
  using torch::autograd::AccumulateGrad, torch::autograd::Node;
  std::vector<std::string> shapes;
  std::vector<Node*> open;
  std::unordered_set<Node*> seen;
  const auto visit = [&](Node* node) {
    if (node && seen.insert(node).second) open.push_back(node);
  };
  for (const at::Tensor& output : outputs) visit(output.grad_fn().get());
  while (!open.empty()) {
    Node* const node = open.back();
    open.pop_back();
    for (const torch::autograd::Edge& edge : node->next_edges()) visit(edge.function.get());
    const auto* const leaf = dynamic_cast<AccumulateGrad*>(node);
    if (leaf && leaf->variable.name() != kLeaf) shapes.push_back(c10::str(leaf->variable.sizes()));
  }
  return shapes;
}

void tell_other_leaves(const variable_list& outputs) {
  static std::atomic<bool> told = false;
  if (told) return;
  const std::vector<std::string> shapes = other_leaves(outputs);
  if (shapes.empty() || told.exchange(true)) return;
  base::warning("the cost depends on " + std::to_string(shapes.size()) +
                (shapes.size() == 1 ? " parameter" : " parameters") +
                " of a plugin's own, of shape " + base::join(shapes, ", ") +
                ": nothing trains or saves them; get parameters from the tower, with variable");
}

// Holds the function for autograd between forward and backward.
struct Holder final : torch::CustomClassHolder {
  explicit Holder(std::shared_ptr<CustomFunction> held) : function(std::move(held)) {}
  std::shared_ptr<CustomFunction> function;
};
constexpr const char *kHolder = "function", *kInputs = "inputs", *kMixed = "mixed";

CustomFunction& function_of(AutogradContext* context) {
  return *static_cast<Holder*>(context->saved_data.at(kHolder).toCapsule().get())->function;
}

// LibTorch tracks the tensors of a TensorList argument, but not those of a vector.
struct Custom final : torch::autograd::Function<Custom> {
  static variable_list forward(AutogradContext* context,
                               const std::shared_ptr<CustomFunction>& function,
                               const at::TensorList& inputs) {
    context->saved_data[kHolder] = c10::IValue::make_capsule(c10::make_intrusive<Holder>(function));
    context->saved_data[kInputs] = static_cast<int64_t>(inputs.size());
    context->saved_data[kMixed] = MixedPrecision::is_on();
    context->set_materialize_grads(false);  // an output that was not used has no gradient
    std::vector<Tensor> save;
    variable_list outputs =
        to_aten(std::span<const Tensor>(function->forward(from_aten(inputs.vec()), save)));
    context->save_for_backward(to_aten(std::span<const Tensor>(save)));
    variable_list constant;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i].defined()) {
        base::fail(base::Exit::training, "function '" + function->name + "'",
                   "found no output " + std::to_string(i), "every output set by forward", "set it");
      }
      if (!torch::autograd::isDifferentiableType(outputs[i].scalar_type())) {
        constant.push_back(outputs[i]);
      }
    }
    context->mark_non_differentiable(constant);
    return outputs;
  }

  static variable_list backward(AutogradContext* context, variable_list grad_outputs) {
    CustomFunction& function = function_of(context);
    const MixedPrecision as_forward(context->saved_data.at(kMixed).toBool());
    const std::vector<Tensor> saved = from_aten(context->get_saved_variables());
    const std::vector<Tensor> grads = function.backward(from_aten(std::move(grad_outputs)), saved);
    const auto inputs = static_cast<size_t>(context->saved_data.at(kInputs).toInt());
    if (grads.size() != inputs) {
      base::fail(base::Exit::training, "function '" + function.name + "'",
                 "found " + std::to_string(grads.size()) + " gradients",
                 std::to_string(inputs) + ", one for each input", "give none where there is none");
    }
    variable_list result{at::Tensor()};  // for the argument that is not a tensor
    for (const Tensor& grad : grads) result.push_back(to_aten(grad));
    return result;
  }
};

}  // namespace

Tensor TorchBackend::leaf(const Tensor& tensor) {
  return at_place("tracked tensor", [&] {
    at::Tensor leaf = to_aten(tensor).detach().requires_grad_(true);
    torch::autograd::impl::set_name(leaf, kLeaf);
    return from_aten(std::move(leaf));
  });
}

// The graph is always retained, because two costs may share one forward pass. It is freed together
// with the tensors that refer to it.
std::vector<Tensor> TorchBackend::grad(std::span<const Tensor> outputs,
                                       std::span<const Tensor> inputs,
                                       std::span<const Tensor> grad_outputs, bool create_graph,
                                       bool allow_unused) {
  return at_place("gradient", [&] {
    const variable_list from = to_aten(outputs), to = to_aten(inputs);
    const variable_list seeds = to_aten(grad_outputs);
    check_differentiable(from, to);
    check_grad_outputs(from, seeds);
    // Towers are looked at once, when a plan finds out which variables their cost depends on.
    if (allow_unused) tell_other_leaves(from);
    const MixedPrecision types_of_forward(false);
    variable_list grads = torch::autograd::grad(from, to, seeds, /*retain_graph=*/true,
                                                create_graph, /*allow_unused=*/true);
    for (size_t i = 0; i < grads.size() && !allow_unused; ++i) {
      if (grads[i].defined()) continue;
      base::fail(base::Exit::training, numbered("input", i), "the outputs do not depend on it",
                 "an input that was used", "use it, leave it out, or allow unused inputs");
    }
    return from_aten(std::move(grads));
  });
}

std::vector<Tensor> TorchBackend::apply(std::shared_ptr<CustomFunction> function,
                                        std::span<const Tensor> inputs) {
  return at_place("function '" + function->name + "'", [&] {
    const variable_list list = to_aten(inputs);
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i].defined()) continue;
      base::fail(base::Exit::training, "function '" + function->name + "'",
                 "found no tensor as input " + std::to_string(i), "a tensor for every input",
                 "leave out what is not there");
    }
    return from_aten(Custom::apply(function, at::TensorList(list)));
  });
}

}  // namespace broch::libtorch
