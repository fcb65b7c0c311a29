// sample_mean.cpp: means over all samples of a round, exact even if the last batch is smaller;
// scalar-stats gives each batch the same weight.
#include "weighted_mean.hpp"

namespace {

using namespace broch::inferencers;

struct Options : WeightOptions {
  std::vector<std::string> names;
  std::string prefix;

  static constexpr auto schema = broch::options(
      broch::option("names", &Options::names, "Names of outputs with a number for each sample.")
          .schema(R"("anyOf": [{"type": "string"},
                               {"type": "array", "items": {"type": "string"}, "minItems": 1}])"),
      WeightOptions::schema,
      broch::option("prefix", &Options::prefix,
                    "The metric is {prefix}_{name}; empty: the name alone.")
          .by_default("validation"));
};

class SampleMean final : public broch::Inferencer {
 public:
  SampleMean(const broch::Host& host, const Options& options) : options_(options) {
    means_.assign(options_.names.size(), WeightedMean(host, options_));
  }

  std::vector<std::string> fetches() override {
    std::vector<std::string> names = options_.names;
    for (const std::string& name : means_[0].fetches()) names.push_back(name);
    return names;
  }
  void before_inference() override {
    for (WeightedMean& mean : means_) mean.clear();
  }
  void on_fetches(const broch_tensor* values, uint32_t) override {
    for (size_t i = 0; i < means_.size(); ++i)
      means_[i].add(options_.names[i], values[i], values + means_.size());
  }
  Numbers after_inference() override {
    Numbers means;
    for (size_t i = 0; i < means_.size(); ++i)
      if (const std::optional<double> value = means_[i].value())
        means.emplace_back(prefixed(options_.prefix, options_.names[i]), *value);
    return means;
  }

 private:
  Options options_;
  std::vector<WeightedMean> means_;  // for each name
};

}  // namespace

BROCH_INFERENCER(SampleMean, "broch.inferencer.sample-mean", "1.0.0",
                 "Means over all samples of a round, each with the same weight or one of its own.",
                 Options::schema, broch::produces("{prefix?_}{names}"))
