// calibration_error.cpp: how far the probabilities of a round are from the frequency of being
// right. Guo et al., On Calibration of Modern Neural Networks (2017), equation 3, and
// CalibrationError of torchmetrics: samples go into bins (i / n, (i + 1) / n] by confidence.
#include "scored.hpp"

namespace {

using namespace broch::inferencers;

enum class Norm { l1, l2, max };

struct Options : ScoredOptions {
  bool from_logits;
  int64_t bins;
  Norm norm;

  static constexpr auto schema = broch::options(
      ScoredOptions::schema,
      broch::option("from_logits", &Options::from_logits,
                    "The scores are logits, whose softmax (for one column, sigmoid) is taken; "
                    "false: they are probabilities.")
          .by_default(true),
      broch::option("bins", &Options::bins, "Number of bins between 0 and 1.")
          .minimum(1)
          .maximum(1000000)
          .by_default(15),
      broch::option("norm", &Options::norm,
                    "l1: the mean over samples of their bin's distance (ECE); l2: the root of the "
                    "mean square; max: the largest distance (MCE).")
          .one_of("l1", "l2", "max")
          .by_default("l1"));
};

class CalibrationError final : public broch::Inferencer {
 public:
  CalibrationError(const broch::Host& host, const Options& options)
      : data_(host), options_(options) {}

  std::vector<std::string> fetches() override { return {options_.scores, options_.label}; }
  void before_inference() override {
    bins_.assign(size_t(options_.bins), {});
    total_ = 0;
  }
  void on_fetches(const broch_tensor* values, uint32_t) override {
    const Scored samples(data_, options_, values);
    for (size_t i = 0; i < samples.size(); ++i)
      if (!samples.is_ignored(i)) add(samples, i);
  }
  Numbers after_inference() override {
    if (total_ == 0) return {};
    double sum = 0, largest = 0;
    for (const Bin& bin : bins_) {
      if (bin.samples == 0) continue;
      const double share = double(bin.samples) / double(total_);
      const double distance = std::abs(double(bin.right) - bin.confidence) / double(bin.samples);
      sum += share * (options_.norm == Norm::l2 ? distance * distance : distance);
      largest = std::max(largest, distance);
    }
    if (std::isnan(sum)) largest = sum;  // std::max passes over what is no number
    const double error = options_.norm == Norm::max  ? largest
                         : options_.norm == Norm::l2 ? std::sqrt(sum)
                                                     : sum;
    return {{prefixed(options_.prefix, "calibration_error"), error}};
  }

 private:
  struct Bin {
    int64_t samples = 0, right = 0;
    double confidence = 0;  // a sum
  };

  // One column: the confidence is that in class 1, which is right if the true class is 1.
  void add(const Scored& samples, size_t i) {
    const size_t best = samples.best(i);
    const double confidence =
        (options_.from_logits ? samples.probabilities(i) : samples.scores(i))[best];
    if (!options_.from_logits && !(confidence >= 0 && confidence <= 1))
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         options_.scores + " has the value " + broch::number_text(confidence) +
                             ", expected probabilities from 0 to 1; set from_logits to true");
    const double place = std::ceil(confidence * double(options_.bins)) - 1;
    Bin& bin =
        bins_[size_t(std::clamp(std::isnan(place) ? 0 : place, 0., double(bins_.size() - 1)))];
    ++bin.samples;
    bin.right += samples.label(i) == (samples.columns() == 1 ? 1 : best);
    bin.confidence += confidence;
    ++total_;
  }

  broch::TensorData data_;
  Options options_;
  std::vector<Bin> bins_;
  int64_t total_ = 0;
};

}  // namespace

BROCH_INFERENCER(CalibrationError, "broch.inferencer.calibration-error", "1.0.0",
                 "Distance between the probabilities of predictions and how often they are right.",
                 Options::schema, broch::produces("{prefix?_}calibration_error"))
