// scaling_processors.cpp: processors that multiply gradients by a number.
#include "base/log.hpp"
#include "base/text.hpp"
#include "optimizer/backend_calls.hpp"
#include "processors.hpp"

namespace broch::optimizer {
namespace {

using runtime::Tensor;

constexpr const char* kTimes = "aten::mul.Scalar(Tensor self, Scalar other) -> Tensor";

class FilterNoneGrad final : public GradientProcessor {
 public:
  std::string name() const override { return "filter-none-grad"; }
};

class ScaleGradient final : public GradientProcessor {
 public:
  ScaleGradient(runtime::Backend& backend, std::vector<Multiplier> multipliers, bool verbose)
      : backend_(backend),
        multipliers_(std::move(multipliers)),
        verbose_(verbose),
        scale_(backend.resolve(kTimes)) {}

  std::string name() const override { return "scale-gradient"; }

  std::vector<runtime::Variable*> keep(std::vector<runtime::Variable*> variables) override {
    std::vector<runtime::Variable*> kept;
    for (runtime::Variable* variable : variables) {
      const Multiplier* const found = multiplier_of(*variable);
      if (found && verbose_)
        base::info("scale-gradient: " + base::shortest(found->factor) + " for " + variable->name +
                   " (" + base::quoted(found->pattern) + ")");
      if (!found || found->factor != 0) kept.push_back(variable);
    }
    return kept;
  }

  void process(GradientList& list) override {
    GradientList scaled;
    for (size_t i = 0; i < list.gradients.size(); ++i) {
      const Multiplier* const found = multiplier_of(*list.variables[i]);
      if (found && found->factor == 0) continue;
      scaled.variables.push_back(list.variables[i]);
      scaled.gradients.push_back(
          found && found->factor != 1
              ? call(backend_, scale_, {raw(list.gradients[i]), raw(found->factor)})
              : list.gradients[i]);
    }
    list = std::move(scaled);
  }

 private:
  const Multiplier* multiplier_of(const runtime::Variable& variable) const {
    for (const Multiplier& multiplier : multipliers_)
      if (multiplier.filter.takes(variable)) return &multiplier;
    return nullptr;
  }

  runtime::Backend& backend_;
  std::vector<Multiplier> multipliers_;
  bool verbose_;
  runtime::Operator* scale_;
};

}  // namespace

Processor filter_none_grad() { return std::make_unique<FilterNoneGrad>(); }

Processor scale_gradient(runtime::Backend& backend, std::vector<Multiplier> multipliers,
                         bool verbose) {
  return std::make_unique<ScaleGradient>(backend, std::move(multipliers), verbose);
}

}  // namespace broch::optimizer
