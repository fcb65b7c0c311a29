// warmup.cpp: rises to a value over some epochs, then stays out of the way.
#include <broch/broch.hpp>

class Warmup final : public broch::Function {
 public:
  explicit Warmup(const broch::Host& host)
      : to_(broch::Config(host).number("/to")), epochs_(broch::Config(host).integer("/epochs")) {}

  std::optional<double> call(const broch_function_args& now) override {
    if (now.epoch_num >= epochs_) return std::nullopt;
    return to_ * double(now.epoch_num + 1) / double(epochs_);
  }

 private:
  double to_;
  int64_t epochs_;
};

BROCH_FUNCTION(Warmup, "net.outsider.warmup", "1.0.0", "Rises to a value over some epochs.", R"({
  "type": "object",
  "properties": {"to": {"type": "number"}, "epochs": {"type": "integer", "minimum": 1}},
  "required": ["to", "epochs"], "additionalProperties": false})")
