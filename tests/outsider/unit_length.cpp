// unit_length.cpp: the direction of each gradient alone.
#include <broch/broch.hpp>

class UnitLength final : public broch::GradientProcessor {
 public:
  explicit UnitLength(const broch::Host& host)
      : GradientProcessor(host), only_(broch::Config(host).string("/only")) {}

  bool keeps(const std::string& name) override { return name.find(only_) != std::string::npos; }

  void process(broch::Tower&, std::vector<broch::Gradient>& gradients) override {
    for (broch::Gradient& one : gradients) {
      const broch::Tensor length = ops().sqrt(ops().sum(ops().square(one.gradient)));
      // Where all is 0 it stays so.
      one.gradient = ops().div(one.gradient, ops().clamp_min(length, 1e-20));
    }
  }

 private:
  std::string only_;
};

BROCH_GRADIENT_PROCESSOR(UnitLength, "net.outsider.unit-length", "1.0.0",
                         "Gradients of length 1, of variables whose name has a text in it.", R"({
  "type": "object",
  "properties": {"only": {"type": "string", "default": ""}},
  "additionalProperties": false})")
