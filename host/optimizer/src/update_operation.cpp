// update_operation.cpp: calls a plugin's update rule and takes its results.
#include "optimizer/update_operation.hpp"

#include <array>

#include "abi/host_part.hpp"
#include "abi/roles/optimizer.hpp"
#include "optimizer/backend_calls.hpp"
#include "tower/host_operation.hpp"
#include "tower/tensor_handles.hpp"

namespace broch::optimizer {

namespace {

using Tensors = std::vector<runtime::Tensor>;
using Handles = std::vector<broch_tensor>;
using Variables = UpdateOperation::Variables;

Handles read(const Variables& variables) {
  Handles handles;
  for (runtime::Variable* variable : variables)
    handles.push_back(tower::lend(tower::read_in_operation(*variable)));
  return handles;
}

class Rule {
 public:
  Rule(tower::RunContext& context, abi::Instance& plugin, UpdateOperation::Lists lists)
      : backend_(*context.backend),
        role_(abi::Optimizer::make(plugin)),
        lists_(std::move(lists)),
        slots_(lists_.slots.size() / lists_.variables.size()),
        times_(backend_.resolve("aten::mul.Scalar(Tensor self, Scalar other) -> Tensor")) {
    for (const runtime::Variable* variable : lists_.variables)
      handles_.push_back(tower::variable_handle(*context.variables, *variable));
  }

  void update(std::span<const runtime::Tensor> given) const {
    Handles gradients;
    for (const runtime::Tensor& gradient : given) gradients.push_back(tower::lend(gradient));
    const Handles values = read(lists_.variables), slots = read(lists_.slots),
                  hypers = read_hypers(), number = read({lists_.count});
    broch_update update{};
    update.n = static_cast<uint32_t>(handles_.size());
    update.scope = tower::operation_scope();
    update.variables = handles_.data();
    update.values = values.data();
    update.gradients = gradients.data();
    update.slots = slots.data();
    update.hyper_params = hypers.data();
    update.number = number.front();
    abi::HostPart host;
    role_.update(update, slots_, [&](Answers new_values, Answers new_slots) {
      host.run([&] {
        take(new_values, lists_.variables, "new_values");
        take(new_slots, lists_.slots, "new_slots");
      });
    });
    host.rethrow();
  }

 private:
  using Answers = std::span<const broch_tensor>;

  Handles read_hypers() const {
    Handles handles;
    for (size_t i = 0; i < lists_.hypers.size(); ++i) {
      const runtime::Tensor number = tower::read_in_operation(*lists_.hypers[i]);
      const double factor = lists_.factors[i];
      handles.push_back(tower::lend(
          factor == 1 ? number : call(backend_, times_, std::array{raw(number), raw(factor)})));
    }
    return handles;
  }

  void take(Answers answers, const Variables& variables, const char* list) const {
    for (uint32_t i = 0; i < answers.size(); ++i) {
      if (!answers[i]) continue;
      runtime::Variable& variable = *variables[i];
      const std::string where =
          role_.instance().label() + ", " + list + " of variable '" + variable.name + "'";
      const runtime::Tensor value =
          tower::resolve_computed(backend_, role_.instance(), answers[i], {where.c_str(), list, i});
      // With the null runtime a result has the shape of the operator's first argument, so it is
      // ignored.
      tower::update_in_operation(variable, backend_.is_null()
                                               ? variable.value
                                               : as_dtype(backend_, value, variable.dtype));
    }
  }

  runtime::Backend& backend_;
  abi::Optimizer role_;
  UpdateOperation::Lists lists_;
  size_t slots_;  // of each variable
  runtime::Operator* times_;
  std::vector<broch_variable> handles_;
};

GradientOperation::Spec spec_of(tower::RunContext& context, abi::Instance& plugin,
                                const std::string& name, UpdateOperation::Lists lists) {
  GradientOperation::Spec spec;
  spec.name = name;
  spec.variables = lists.variables;
  const auto rule = std::make_shared<const Rule>(context, plugin, std::move(lists));
  spec.function = [rule](std::span<const runtime::Tensor> gradients) {
    rule->update(gradients);
    return Tensors();
  };
  return spec;
}

}  // namespace

UpdateOperation::UpdateOperation(tower::RunContext& context, abi::Instance& plugin,
                                 const std::string& name, Lists lists)
    : backend_(*context.backend),
      operation_(context, plugin, spec_of(context, plugin, name, std::move(lists))) {}

void UpdateOperation::run(const Tensors& gradients, uint64_t number) {
  operation_.run(gradients, number, WatchContext{backend_}, nothing_);
  operation_.release();
}

}  // namespace broch::optimizer
