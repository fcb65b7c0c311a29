// @FILE@.cpp: an inferencer that reports the largest value of an output in a round.
#include <algorithm>
#include <broch/broch.hpp>
#include <limits>

namespace {

struct Options {
  std::string output, metric;

  static constexpr auto schema = broch::options(
      broch::option("output", &Options::output, "Published name in the inference tower.")
          .by_default("cost"),
      broch::option("metric", &Options::metric, "Name of what is reported.")
          .by_default("largest_cost"));
};

class @CLASS@ final : public broch::Inferencer {
 public:
  @CLASS@(const broch::Host& host, const Options& options) : tensors_(host), options_(options) {}

  std::vector<std::string> fetches() override { return {options_.output}; }
  void before_inference() override { largest_ = -std::numeric_limits<double>::infinity(); }
  void on_fetches(const broch_tensor* values, uint32_t) override {
    for (const double value : tensors_.doubles(values[0])) largest_ = std::max(largest_, value);
  }
  std::vector<std::pair<std::string, double>> after_inference() override {
    return {{options_.metric, largest_}};
  }

 private:
  broch::TensorData tensors_;
  Options options_;
  double largest_ = 0;
};

}  // namespace

BROCH_INFERENCER(@CLASS@, "@ID@", "0.1.0", "The largest value of an output in a round.",
                 Options::schema, broch::produces("{metric}"))
