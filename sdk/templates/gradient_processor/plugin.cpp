// @FILE@.cpp: a gradient processor that limits the norm of each gradient separately.
#include <broch/broch.hpp>

namespace {

class @CLASS@ final : public broch::GradientProcessor {
 public:
  explicit @CLASS@(const broch::Host& host)
      : GradientProcessor(host), length_(broch::Config(host).number("/length")) {}

  // The host calls this to record the computation and replays the recording in each step. So use
  // operators only, and keep no state in members.
  void process(broch::Tower&, std::vector<broch::Gradient>& gradients) override {
    broch::Ops& o = ops();
    for (broch::Gradient& one : gradients) {
      const broch::Tensor norm = o.linalg_vector_norm(one.gradient);
      const broch::Tensor longer = o.clamp_min(o.div_scalar(norm, length_), 1);
      one.gradient = o.div(one.gradient, longer);
    }
  }

 private:
  double length_;
};

}  // namespace

BROCH_GRADIENT_PROCESSOR(@CLASS@, "@ID@", "0.1.0", "Shortens each gradient by itself.", R"({
  "type": "object",
  "properties": {
    "length": {"type": "number", "exclusiveMinimum": 0, "default": 1, "description": "Largest norm that passes unchanged."}
  },
  "additionalProperties": false
})")
