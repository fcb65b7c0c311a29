// weighted_sample.hpp: draws points with replacement, by weights. PyTorch:
// `WeightedRandomSampler`.
#pragma once
#include "sampler.hpp"

namespace broch::dataflows {

struct WeightedSampleOptions {
  ChildDataFlow dataflow;
  std::optional<std::vector<double>> weights;
  std::optional<ChildDataFlow> weights_from;
  std::optional<int64_t> points, seed;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &WeightedSampleOptions::dataflow,
                    "The dataflow to draw from; it must be indexed and have the same points in the "
                    "same order in each round."),
      broch::option("weights", &WeightedSampleOptions::weights,
                    "One weight per point; a point with twice the weight is drawn twice as often.")
          .minimum(0),
      broch::option("weights_from", &WeightedSampleOptions::weights_from,
                    "Instead of weights: a dataflow whose points have the weight as their first "
                    "component, for example arrays of a .npy or .csv file."),
      broch::option("points", &WeightedSampleOptions::points,
                    "Number of data points in a round; null: the size of the dataflow.")
          .minimum(1),
      broch::option("seed", &WeightedSampleOptions::seed,
                    "The seed of the draws; null: derived from the run's seed."));
};

class WeightedSample final : public Sampler {
 public:
  WeightedSample(const Host& host, const WeightedSampleOptions& options)
      : Sampler(host, options.dataflow, options.points, options.seed, "weighted-sample"),
        weights_(options.weights),
        weights_from_(options.weights_from) {
    if (bool(weights_) == bool(weights_from_))
      throw Error(BROCH_E_INVALID_ARGUMENT, "expected either weights or weights_from");
  }

 private:
  std::vector<double> weights() override {
    if (weights_) return *weights_;
    weights_from_->reset_state();
    return scan(host(), *weights_from_, points::ComponentName(0), "/weights_from");
  }

  std::optional<std::vector<double>> weights_;
  std::optional<ChildDataFlow> weights_from_;
};

}  // namespace broch::dataflows
