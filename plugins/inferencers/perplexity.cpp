// perplexity.cpp: exp of the mean of the losses of all tokens of a round; the losses are cross
// entropies in nats.
#include "weighted_mean.hpp"

namespace {

using namespace broch::inferencers;

struct Options : WeightOptions {
  std::string loss, summary_name;

  static constexpr auto schema = broch::options(
      broch::option("loss", &Options::loss,
                    "Name of an output with the loss of each token, or with their mean (see "
                    "count).")
          .by_default("loss"),
      WeightOptions::schema,
      broch::option("summary_name", &Options::summary_name, "Name of the metric.")
          .min_length(1)
          .by_default("validation_perplexity"));
};

class Perplexity final : public broch::Inferencer {
 public:
  Perplexity(const broch::Host& host, const Options& options)
      : options_(options), mean_(host, options) {}

  std::vector<std::string> fetches() override {
    std::vector<std::string> names = {options_.loss};
    for (const std::string& name : mean_.fetches()) names.push_back(name);
    return names;
  }
  void before_inference() override { mean_.clear(); }
  void on_fetches(const broch_tensor* values, uint32_t) override {
    mean_.add(options_.loss, values[0], values + 1);
  }
  Numbers after_inference() override {
    const std::optional<double> mean = mean_.value();
    return mean ? Numbers{{options_.summary_name, std::exp(*mean)}} : Numbers();
  }

 private:
  Options options_;
  WeightedMean mean_;
};

}  // namespace

BROCH_INFERENCER(Perplexity, "broch.inferencer.perplexity", "1.0.0",
                 "exp of the mean loss of all tokens of a round.", Options::schema,
                 broch::produces("{summary_name}"))
