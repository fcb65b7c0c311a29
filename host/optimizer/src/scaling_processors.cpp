// scaling_processors.cpp: processors that multiply gradients by a number.
#include "base/log.hpp"
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

class GlobalNormClip final : public GradientProcessor {
 public:
  GlobalNormClip(runtime::Backend& backend, double limit)
      : backend_(backend),
        limit_(limit),
        norm_(
            backend.resolve("aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, "
                            "bool keepdim=False, *, ScalarType? dtype=None) -> Tensor")),
        stack_(backend.resolve("aten::stack(Tensor[] tensors, int dim=0) -> Tensor")),
        reciprocal_(backend.resolve("aten::reciprocal(Tensor self) -> Tensor")),
        scale_(backend.resolve(kTimes)),
        clamp_max_(backend.resolve("aten::clamp_max(Tensor self, Scalar max) -> Tensor")),
        multiply_(backend.resolve("aten::mul.Tensor(Tensor self, Tensor other) -> Tensor")) {}

  std::string name() const override { return "global-norm-clip"; }

  void process(GradientList& list) override {
    if (list.gradients.empty()) return;
    std::vector<Tensor> norms;
    std::vector<broch_tensor> pointers;
    for (const Tensor& gradient : list.gradients) {
      norms.push_back(norm_of(gradient));
      norms.back() = beside(backend_, norms[0], norms.back());
      pointers.push_back(reinterpret_cast<uint64_t>(norms.back().impl()));
    }
    const Tensor norm = norm_of(call(stack_, {raw(pointers), raw(int64_t{0})}));
    const Tensor ratio = call(scale_, {raw(call(reciprocal_, {raw(norm)})), raw(limit_)});
    const Tensor factor = call(clamp_max_, {raw(ratio), raw(1.0)});
    for (Tensor& gradient : list.gradients)
      gradient = call(multiply_, {raw(gradient), raw(beside(backend_, gradient, factor))});
  }

 private:
  Tensor norm_of(const Tensor& tensor) {
    return call(norm_, {raw(tensor), raw(2.0), kNone, raw(false), kNone});
  }

  Tensor call(runtime::Operator* op, std::initializer_list<runtime::RawValue> args) {
    return optimizer::call(backend_, op, args);
  }

  runtime::Backend& backend_;
  double limit_;
  runtime::Operator *norm_, *stack_, *reciprocal_, *scale_, *clamp_max_, *multiply_;
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
        base::info("scale-gradient: " + std::to_string(found->factor) + " for " + variable->name +
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

Processor global_norm_clip(runtime::Backend& backend, double limit) {
  return std::make_unique<GlobalNormClip>(backend, limit);
}

Processor scale_gradient(runtime::Backend& backend, std::vector<Multiplier> multipliers,
                         bool verbose) {
  return std::make_unique<ScaleGradient>(backend, std::move(multipliers), verbose);
}

}  // namespace broch::optimizer
