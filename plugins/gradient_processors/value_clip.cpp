// value_clip.cpp: limits each element of a gradient. PyTorch: torch.nn.utils.clip_grad_value_.
#include <broch/broch.hpp>

namespace {

struct Options {
  double limit;

  static constexpr auto schema =
      broch::options(broch::option("limit", &Options::limit,
                                   "Elements are clipped to the range from -limit to limit.")
                         .above(0));
};

class ValueClip final : public broch::GradientProcessor {
 public:
  ValueClip(const broch::Host& host, const Options& options)
      : GradientProcessor(host), limit_(options.limit) {}

  void process(broch::Tower&, std::vector<broch::Gradient>& gradients) override {
    for (broch::Gradient& one : gradients)
      one.gradient = ops().clamp(one.gradient, broch::Scalar(-limit_), broch::Scalar(limit_));
  }

 private:
  double limit_;
};

}  // namespace

BROCH_GRADIENT_PROCESSOR(ValueClip, "broch.gradient_processor.value-clip", "1.0.0",
                         "Clips each element of the gradients to a range.", Options::schema)
