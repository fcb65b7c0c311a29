// scaled.cpp: multiplies what the initializers drew, to try other sizes of first weights.
#include <broch/broch.hpp>

class Scaled final : public broch::SessionInit {
 public:
  explicit Scaled(const broch::Host& host)
      : variables_(host), tensors_(host), factor_(broch::Config(host).number("/factor")) {}

  void init() override {
    for (const broch_variable variable : variables_.list(BROCH_VARIABLE_TRAINABLE)) {
      std::vector<float> values = tensors_.floats(variables_.value(variable));
      for (float& value : values) value *= float(factor_);
      variables_.assign(variable, values);
    }
  }

 private:
  broch::Variables variables_;
  broch::TensorData tensors_;
  double factor_;
};

BROCH_SESSION_INIT(Scaled, "net.outsider.scaled", "1.0.0", "Multiplies the first weights.", R"({
  "type": "object",
  "properties": {"factor": {"type": "number"}},
  "required": ["factor"], "additionalProperties": false})")
