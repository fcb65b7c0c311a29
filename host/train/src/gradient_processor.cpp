// gradient_processor.cpp: the processors that the host brings along.
#include "train/gradient_processor.hpp"

#include "backend_calls.hpp"
#include "base/text.hpp"
#include "json_options.hpp"

namespace broch::train {

namespace {

constexpr const char* kGlobalNormClip = "broch.gradient_processor.global-norm-clip";

using runtime::Tensor;

// Scales all gradients by min(1, c / norm), the norm taken over all of them together; on the
// device, without waiting for it. Source: tensorpack tfutils/gradproc.py, GlobalNormClip.
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
        scale_(backend.resolve("aten::mul.Scalar(Tensor self, Scalar other) -> Tensor")),
        clamp_max_(backend.resolve("aten::clamp_max(Tensor self, Scalar max) -> Tensor")),
        multiply_(backend.resolve("aten::mul.Tensor(Tensor self, Tensor other) -> Tensor")) {}

  std::string name() const override { return "global-norm-clip"; }

  void process(GradientList& list) override {
    if (list.gradients.empty()) return;
    std::vector<Tensor> norms;
    std::vector<broch_tensor> pointers;
    for (const Tensor& gradient : list.gradients) {
      norms.push_back(norm_of(gradient));
      pointers.push_back(reinterpret_cast<uint64_t>(norms.back().impl()));
    }
    const Tensor norm = norm_of(call(stack_, {raw(pointers), raw(int64_t{0})}));
    const Tensor ratio = call(scale_, {raw(call(reciprocal_, {raw(norm)})), raw(limit_)});
    const Tensor factor = call(clamp_max_, {raw(ratio), raw(1.0)});
    for (Tensor& gradient : list.gradients)
      gradient = call(multiply_, {raw(gradient), raw(factor)});
  }

 private:
  Tensor norm_of(const Tensor& tensor) {
    return call(norm_, {raw(tensor), raw(2.0), kNone, raw(false), kNone});
  }

  Tensor call(runtime::Operator* op, std::initializer_list<runtime::RawValue> args) {
    return train::call(backend_, op, args);
  }

  runtime::Backend& backend_;
  double limit_;
  runtime::Operator *norm_, *stack_, *reciprocal_, *scale_, *clamp_max_, *multiply_;
};

}  // namespace

std::unique_ptr<GradientProcessor> make_processor(runtime::Backend& backend,
                                                  const std::string& entry,
                                                  const std::string& place) {
  JsonEntry parsed = parse_entry_text(entry, "gradient_processor", place);
  if (parsed.use != kGlobalNormClip)
    throw base::Error{
        base::Exit::manifest,
        {place, "the gradient processor " + base::quoted(parsed.use),
         std::string(kGlobalNormClip) + base::did_you_mean(parsed.use, {kGlobalNormClip}), ""}};
  const double limit = parsed.with.number("global_norm").value_or(0);
  if (!(limit > 0)) parsed.with.refuse("global_norm", "a number above 0");
  parsed.with.done();
  return std::make_unique<GlobalNormClip>(backend, limit);
}

std::vector<BuiltIn> built_in_processors() {
  return {{kGlobalNormClip, "gradient_processor",
           "Scales all gradients by min(1, global_norm / L2 norm of all of them).",
           R"({"type":"object","additionalProperties":false,"required":["global_norm"],)"
           R"("properties":{"global_norm":{"type":"number","exclusiveMinimum":0,)"
           R"("description":"largest L2 norm that passes unchanged"}}})"}};
}

std::vector<BuiltIn> built_ins() {
  std::vector<BuiltIn> all = built_in_optimizers();
  for (BuiltIn& processor : built_in_processors()) all.push_back(std::move(processor));
  return all;
}

}  // namespace broch::train
