// regression_errors.cpp: mean absolute and squared errors of a round, the root of the latter, the
// peak signal-to-noise ratio, and R². As in scikit-learn, R² is the mean over the numbers of a
// sample, and for a target that never changes it is 1 if all predictions are right and 0 otherwise
// (r2_score).
#include "samples.hpp"

namespace {

using namespace broch::inferencers;

enum class Measure { mae, mse, rmse, r2, psnr };
constexpr const char* kMeasures[] = {"mae", "mse", "rmse", "r2", "psnr"};

struct Options {
  std::string prediction, target, prefix;
  std::vector<Measure> metrics;
  double peak;

  static constexpr auto schema = broch::options(
      broch::option("prediction", &Options::prediction, "Name of an output, (N, …).")
          .by_default("output"),
      broch::option("target", &Options::target,
                    "Name of an output or input of the same shape with the true numbers.")
          .by_default("target"),
      broch::option("metrics", &Options::metrics,
                    "What to compute. psnr is the peak signal-to-noise ratio in decibels, "
                    "20 log10(peak) - 10 log10(mse).")
          .one_of("mae", "mse", "rmse", "r2", "psnr")
          .by_default("mae", "mse", "rmse", "r2"),
      broch::option("peak", &Options::peak,
                    "For psnr: the largest value that a number can have, such as 1 or 255.")
          .above(0)
          .by_default(1),
      broch::option("prefix", &Options::prefix,
                    "The metrics are {prefix}_{name}; empty: the names alone.")
          .by_default("validation"));
};

class RegressionErrors final : public broch::Inferencer {
 public:
  RegressionErrors(const broch::Host& host, const Options& options)
      : data_(host), options_(options) {}

  std::vector<std::string> fetches() override { return {options_.prediction, options_.target}; }
  void before_inference() override {
    columns_.clear();
    samples_ = 0;
  }
  void on_fetches(const broch_tensor* values, uint32_t) override {
    const Fetched prediction(data_, options_.prediction, values[0]);
    const Fetched target(data_, options_.target, values[1]);
    check_same_shape(prediction, target);
    const std::vector<double> found = data_.doubles(values[0]), expected = data_.doubles(values[1]);
    const int64_t rows = target.info.rank > 0 ? target.info.shape[0] : 1;
    if (rows == 0) return;
    const size_t width = expected.size() / size_t(rows);
    if (columns_.empty()) columns_.resize(width);
    if (columns_.size() != width)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         options_.target + " has " + std::to_string(width) +
                             " numbers for each sample, expected " +
                             std::to_string(columns_.size()) + " as in the data point before");
    for (size_t i = 0; i < expected.size(); ++i) {
      if (i % width == 0) ++samples_;
      columns_[i % width].add(found[i], expected[i], double(samples_));
    }
  }
  Numbers after_inference() override {
    Numbers numbers;
    for (const Measure measure : options_.metrics)
      if (samples_ > (measure == Measure::r2 ? 1 : 0) && !columns_.empty())
        numbers.emplace_back(prefixed(options_.prefix, kMeasures[size_t(measure)]), value(measure));
    return numbers;
  }

 private:
  struct Column {
    double absolute = 0, squared = 0;  // sums of errors
    double mean = 0, spread = 0;       // of the target: its mean, and squares of the distance to it

    // Welford's update. samples: this one included.
    void add(double found, double expected, double samples) {
      const double error = found - expected, distance = expected - mean;
      absolute += std::abs(error);
      squared += error * error;
      mean += distance / samples;
      spread += distance * (expected - mean);
    }
    double r2() const { return spread != 0 ? 1 - squared / spread : squared == 0 ? 1 : 0; }
  };

  double value(Measure measure) const {
    double absolute = 0, squared = 0, r2 = 0;
    for (const Column& column : columns_)
      absolute += column.absolute, squared += column.squared, r2 += column.r2();
    const double columns = double(columns_.size()), all = columns * double(samples_);
    switch (measure) {
      case Measure::mae:
        return absolute / all;
      case Measure::mse:
        return squared / all;
      case Measure::rmse:
        return std::sqrt(squared / all);
      case Measure::r2:
        return r2 / columns;
      case Measure::psnr:
        return 20 * std::log10(options_.peak) - 10 * std::log10(squared / all);
    }
    return 0;
  }

  broch::TensorData data_;
  Options options_;
  std::vector<Column> columns_;
  int64_t samples_ = 0;
};

}  // namespace

BROCH_INFERENCER(RegressionErrors, "broch.inferencer.regression-errors", "1.0.0",
                 "Mean absolute and squared errors and R² of predicted numbers.", Options::schema,
                 broch::produces("{prefix?_}{metrics}"))
