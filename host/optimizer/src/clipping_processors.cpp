// clipping_processors.cpp: processors that limit norms of gradients.
#include "optimizer/backend_calls.hpp"
#include "processors.hpp"

namespace broch::optimizer {
namespace {

using runtime::Tensor;

// L2 norms, and the factor min(1, limit / norm), by operators alone.
class Limiter {
 public:
  explicit Limiter(runtime::Backend& backend)
      : backend_(backend),
        norm_(
            backend.resolve("aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, "
                            "bool keepdim=False, *, ScalarType? dtype=None) -> Tensor")),
        stack_(backend.resolve("aten::stack(Tensor[] tensors, int dim=0) -> Tensor")),
        reciprocal_(backend.resolve("aten::reciprocal(Tensor self) -> Tensor")),
        scale_(backend.resolve("aten::mul.Scalar(Tensor self, Scalar other) -> Tensor")),
        clamp_max_(backend.resolve("aten::clamp_max(Tensor self, Scalar max) -> Tensor")),
        multiply_(backend.resolve("aten::mul.Tensor(Tensor self, Tensor other) -> Tensor")) {}

  Tensor norm_of(const Tensor& tensor) {
    return call(norm_, {raw(tensor), raw(2.0), kNone, raw(false), kNone});
  }
  Tensor norm_of_all(const std::vector<Tensor>& gradients) {
    std::vector<Tensor> norms;
    std::vector<broch_tensor> pointers;
    for (const Tensor& gradient : gradients) {
      norms.push_back(norm_of(gradient));
      norms.back() = beside(backend_, norms[0], norms.back());
      pointers.push_back(reinterpret_cast<uint64_t>(norms.back().impl()));
    }
    return norm_of(call(stack_, {raw(pointers), raw(int64_t{0})}));
  }
  // Exactly 1 up to the limit, also for a norm of 0.
  Tensor factor(const Tensor& norm, double limit) {
    const Tensor ratio = call(scale_, {raw(call(reciprocal_, {raw(norm)})), raw(limit)});
    return call(clamp_max_, {raw(ratio), raw(1.0)});
  }
  Tensor scaled(const Tensor& gradient, const Tensor& factor) {
    return call(multiply_, {raw(gradient), raw(beside(backend_, gradient, factor))});
  }

 private:
  Tensor call(runtime::Operator* op, std::initializer_list<runtime::RawValue> args) {
    return optimizer::call(backend_, op, args);
  }

  runtime::Backend& backend_;
  runtime::Operator *norm_, *stack_, *reciprocal_, *scale_, *clamp_max_, *multiply_;
};

class GlobalNormClip final : public GradientProcessor {
 public:
  GlobalNormClip(runtime::Backend& backend, double limit) : limiter_(backend), limit_(limit) {}

  std::string name() const override { return "global-norm-clip"; }

  void process(GradientList& list) override {
    if (list.gradients.empty()) return;
    const Tensor factor = limiter_.factor(limiter_.norm_of_all(list.gradients), limit_);
    for (Tensor& gradient : list.gradients) gradient = limiter_.scaled(gradient, factor);
  }

 private:
  Limiter limiter_;
  double limit_;
};

class NormClip final : public GradientProcessor {
 public:
  NormClip(runtime::Backend& backend, Selection selection, double limit, bool average)
      : limiter_(backend), selection_(std::move(selection)), limit_(limit), average_(average) {}

  std::string name() const override { return "norm-clip"; }

  std::vector<runtime::Variable*> keep(std::vector<runtime::Variable*> variables) override {
    selection_.expect_any(variables, name(), "clipped");
    return variables;
  }

  void process(GradientList& list) override {
    for (size_t i = 0; i < list.gradients.size(); ++i) {
      const runtime::Variable& variable = *list.variables[i];
      if (!selection_.takes(variable)) continue;
      const double limit = average_ ? limit_ * double(variable.shape.elements()) : limit_;
      Tensor& gradient = list.gradients[i];
      gradient = limiter_.scaled(gradient, limiter_.factor(limiter_.norm_of(gradient), limit));
    }
  }

 private:
  Limiter limiter_;
  Selection selection_;
  double limit_;
  bool average_;
};

}  // namespace

Processor global_norm_clip(runtime::Backend& backend, double limit) {
  return std::make_unique<GlobalNormClip>(backend, limit);
}

Processor norm_clip(runtime::Backend& backend, Selection selection, double limit, bool average) {
  return std::make_unique<NormClip>(backend, std::move(selection), limit, average);
}

}  // namespace broch::optimizer
