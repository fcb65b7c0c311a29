// map_gradient.cpp: applies one operator to selected gradients.
#include "processors.hpp"
#include "tower/host_operation.hpp"

namespace broch::optimizer {
namespace {

using Place = OperatorCall::Place;

class MapGradient final : public GradientProcessor {
 public:
  MapGradient(runtime::Backend& backend, Selection selection, OperatorCall call)
      : selection_(std::move(selection)), map_(backend, std::move(call)) {}

  std::string name() const override { return "map-gradient"; }

  std::vector<runtime::Variable*> keep(std::vector<runtime::Variable*> variables) override {
    selection_.expect_any(variables, name(), "mapped");
    return variables;
  }

  void process(GradientList& list) override {
    for (size_t i = 0; i < list.gradients.size(); ++i) {
      runtime::Variable& variable = *list.variables[i];
      if (!selection_.takes(variable)) continue;
      const runtime::Tensor value = map_.call().takes(Place::variable)
                                        ? tower::read_in_operation(variable)
                                        : runtime::Tensor();
      list.gradients[i] = map_(list.gradients[i], value);
    }
  }

 private:
  Selection selection_;
  MappedOperator map_;
};

}  // namespace

Processor map_gradient(runtime::Backend& backend, Selection selection, OperatorCall call) {
  return std::make_unique<MapGradient>(backend, std::move(selection), std::move(call));
}

}  // namespace broch::optimizer
