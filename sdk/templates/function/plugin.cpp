// @FILE@.cpp: a function of the epoch that falls from high to low along a cosine.
#include <algorithm>
#include <broch/broch.hpp>
#include <cmath>

namespace {

struct Options {
  double high, low;
  int64_t epochs;

  static constexpr auto schema = broch::options(
      broch::option("high", &Options::high, "At the start.").by_default(0.1),
      broch::option("low", &Options::low, "After the last of the epochs.").by_default(0),
      broch::option("epochs", &Options::epochs, "How long it falls.").minimum(1).by_default(10));
};

class @CLASS@ final : public broch::Function {
 public:
  explicit @CLASS@(const Options& options) : options_(options) {}

  std::optional<double> call(const broch_function_args& now) override {
    const auto [high, low, epochs] = options_;
    const double done = std::min(1.0, double(now.epoch_num) / double(epochs));
    return low + (high - low) * (1 + std::cos(3.141592653589793 * done)) / 2;
  }

 private:
  Options options_;
};

}  // namespace

BROCH_FUNCTION(@CLASS@, "@ID@", "0.1.0", "Falls along a cosine over the epochs.", Options::schema)
