// @FILE@.cpp: an inferencer that reports the largest value of an output in a round.
#include <algorithm>
#include <broch/broch.hpp>
#include <limits>

namespace {

class @CLASS@ final : public broch::Inferencer {
 public:
  explicit @CLASS@(const broch::Host& host)
      : tensors_(host), output_(broch::Config(host).string("/output")),
        metric_(broch::Config(host).string("/metric")) {}

  std::vector<std::string> fetches() override { return {output_}; }
  void before_inference() override { largest_ = -std::numeric_limits<double>::infinity(); }
  void on_fetches(const broch_tensor* values, uint32_t) override {
    for (const double value : tensors_.doubles(values[0])) largest_ = std::max(largest_, value);
  }
  std::vector<std::pair<std::string, double>> after_inference() override {
    return {{metric_, largest_}};
  }

 private:
  broch::TensorData tensors_;
  std::string output_, metric_;
  double largest_ = 0;
};

}  // namespace

BROCH_INFERENCER(@CLASS@, "@ID@", "0.1.0", "The largest value of an output in a round.", R"({
  "type": "object",
  "properties": {
    "output": {"type": "string", "default": "cost", "description": "Published name in the inference tower."},
    "metric": {"type": "string", "default": "largest_cost", "description": "Name of what is reported."}
  },
  "additionalProperties": false
})")
