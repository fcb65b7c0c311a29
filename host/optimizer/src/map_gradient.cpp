// map_gradient.cpp: applies one operator to selected gradients.
#include <algorithm>

#include "base/log.hpp"
#include "processors.hpp"
#include "tower/host_operation.hpp"

namespace broch::optimizer {
namespace {

using Place = OperatorCall::Place;

class MapGradient final : public GradientProcessor {
 public:
  MapGradient(runtime::Backend& backend, NameFilter filter, std::string pattern, OperatorCall call)
      : filter_(std::move(filter)), pattern_(std::move(pattern)), map_(backend, std::move(call)) {}

  std::string name() const override { return "map-gradient"; }

  std::vector<runtime::Variable*> keep(std::vector<runtime::Variable*> variables) override {
    const auto taken = [&](const runtime::Variable* variable) { return filter_.takes(*variable); };
    if (std::ranges::none_of(variables, taken))
      base::warning("map-gradient: no variable that gets a gradient has a name that is " +
                    base::quoted(pattern_) + " as a whole: nothing is mapped");
    return variables;
  }

  void process(GradientList& list) override {
    for (size_t i = 0; i < list.gradients.size(); ++i) {
      runtime::Variable& variable = *list.variables[i];
      if (!filter_.takes(variable)) continue;
      const runtime::Tensor value = map_.call().takes(Place::variable)
                                        ? tower::read_in_operation(variable)
                                        : runtime::Tensor();
      list.gradients[i] = map_(list.gradients[i], value);
    }
  }

 private:
  NameFilter filter_;
  std::string pattern_;
  MappedOperator map_;
};

}  // namespace

Processor map_gradient(runtime::Backend& backend, NameFilter filter, const std::string& pattern,
                       OperatorCall call) {
  return std::make_unique<MapGradient>(backend, std::move(filter), pattern, std::move(call));
}

}  // namespace broch::optimizer
