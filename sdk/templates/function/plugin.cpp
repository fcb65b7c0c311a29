// @FILE@.cpp: a function of the epoch that falls from high to low along a cosine.
#include <algorithm>
#include <broch/broch.hpp>
#include <cmath>

namespace {

class @CLASS@ final : public broch::Function {
 public:
  explicit @CLASS@(const broch::Host& host)
      : high_(broch::Config(host).number("/high")), low_(broch::Config(host).number("/low")),
        epochs_(broch::Config(host).integer("/epochs")) {}

  std::optional<double> call(const broch_function_args& now) override {
    const double done = std::min(1.0, double(now.epoch_num) / double(epochs_));
    return low_ + (high_ - low_) * (1 + std::cos(3.141592653589793 * done)) / 2;
  }

 private:
  double high_, low_;
  int64_t epochs_;
};

}  // namespace

BROCH_FUNCTION(@CLASS@, "@ID@", "0.1.0", "Falls along a cosine over the epochs.", R"({
  "type": "object",
  "properties": {
    "high": {"type": "number", "default": 0.1, "description": "At the start."},
    "low": {"type": "number", "default": 0, "description": "After the last of the epochs."},
    "epochs": {"type": "integer", "minimum": 1, "default": 10, "description": "How long it falls."}
  },
  "additionalProperties": false
})")
