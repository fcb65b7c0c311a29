// gradient_sum.cpp: adds in the order of the towers, so the bits are the same as for any other
// code that adds in this order.
#include "optimizer/gradient_sum.hpp"

#include "base/text.hpp"
#include "optimizer/backend_calls.hpp"

namespace broch::optimizer {

namespace {

using runtime::Tensor;

struct Sum {
  Sum(runtime::Backend& backend, size_t lists, double factor, bool by_nccl)
      : backend(backend),
        lists(lists),
        factor(factor),
        by_nccl(by_nccl),
        add(backend.resolve(
            "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")),
        scale(backend.resolve("aten::mul.Scalar(Tensor self, Scalar other) -> Tensor")) {}

  std::vector<Tensor> operator()(std::span<const Tensor> gradients) const {
    const size_t n = gradients.size() / lists;
    std::vector<Tensor> by_devices, sums;
    if (by_nccl) by_devices = backend.sum_over_devices(gradients, n);
    for (size_t i = 0; i < n; ++i) {
      Tensor sum = by_devices.empty() ? in_order(gradients, n, i) : by_devices[i];
      if (factor != 1) sum = call(backend, scale, {raw(sum), raw(factor)});
      sums.push_back(std::move(sum));
    }
    return sums;
  }

  Tensor in_order(std::span<const Tensor> gradients, size_t n, size_t i) const {
    Tensor sum = gradients[i];
    for (size_t list = 1; list < lists; ++list) {
      const Tensor other = beside(backend, sum, gradients[list * n + i]);
      sum = call(backend, add, {raw(sum), raw(other), raw(int64_t{1})});
    }
    return sum;
  }

  runtime::Backend& backend;
  size_t lists;
  double factor;
  bool by_nccl;
  runtime::Operator *add, *scale;
};

}  // namespace

std::unique_ptr<GradientOperation> make_gradient_sum(tower::RunContext& context,
                                                     abi::Instance& owner, std::string name,
                                                     size_t lists, double factor, bool by_nccl,
                                                     std::vector<runtime::Variable*> variables) {
  GradientOperation::Spec spec;
  spec.name = name + " (sum of " + std::to_string(lists) + " times " + base::shortest(factor) + ")";
  spec.variables = variables;
  spec.lists = lists;
  spec.kept = std::move(variables);
  spec.function = Sum(*context.backend, lists, factor, by_nccl);
  return std::make_unique<GradientOperation>(context, owner, std::move(spec));
}

}  // namespace broch::optimizer
