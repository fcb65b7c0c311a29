// plugin_processor.cpp: a gradient processor that a plugin implements.
#include "abi/host_part.hpp"
#include "abi/roles/gradient_processor.hpp"
#include "optimizer/backend_calls.hpp"
#include "processors.hpp"
#include "tower/host_operation.hpp"
#include "tower/tensor_handles.hpp"

namespace broch::optimizer {

namespace {

class PluginProcessor final : public GradientProcessor {
 public:
  PluginProcessor(const GradientSite& site, abi::Instance& instance)
      : backend_(site.backend),
        store_(*site.variables),
        role_(abi::GradientProcessor::make(instance)) {}

  std::string name() const override { return role_.instance().label(); }

  std::vector<runtime::Variable*> keep(std::vector<runtime::Variable*> variables) override {
    keeps_ = role_.keep(handles_of(variables));
    drop(variables);
    return variables;
  }

  void process(GradientList& list) override {
    drop(list.variables);
    drop(list.gradients);
    std::vector<broch_tensor> gradients;
    for (const runtime::Tensor& gradient : list.gradients)
      gradients.push_back(tower::lend(gradient));
    abi::HostPart host;
    role_.process(
        tower::operation_scope(), handles_of(list.variables), gradients,
        [&](std::span<const broch_tensor> results) { host.run([&] { take(results, list); }); });
    host.rethrow();
  }

 private:
  std::vector<broch_variable> handles_of(const std::vector<runtime::Variable*>& variables) const {
    std::vector<broch_variable> handles;
    for (const runtime::Variable* variable : variables)
      handles.push_back(tower::variable_handle(store_, *variable));
    return handles;
  }

  // Removes the entries of variables that keep left out.
  template <class List>
  void drop(List& list) const {
    size_t index = 0;
    std::erase_if(list, [&](const auto&) { return !keeps_[index++]; });
  }

  void take(std::span<const broch_tensor> results, GradientList& list) const {
    for (uint32_t i = 0; i < results.size(); ++i) {
      if (!results[i]) continue;
      const std::string where = name() + ", result for variable '" + list.variables[i]->name + "'";
      const runtime::Tensor result = tower::resolve_computed(backend_, role_.instance(), results[i],
                                                             {where.c_str(), "results", i});
      list.gradients[i] = as_dtype(backend_, result, list.variables[i]->dtype);
    }
  }

  runtime::Backend& backend_;
  const runtime::VariableStore& store_;
  abi::GradientProcessor role_;
  std::vector<bool> keeps_;
};

}  // namespace

Processor plugin_processor(const GradientSite& site, abi::Instance& instance) {
  return std::make_unique<PluginProcessor>(site, instance);
}

}  // namespace broch::optimizer
