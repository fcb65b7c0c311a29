// class_balanced.hpp: draws points with replacement, all classes equally often.
#pragma once
#include <cmath>
#include <map>

#include "sampler.hpp"

namespace broch::dataflows {

struct ClassBalancedOptions {
  ChildDataFlow dataflow;
  JsonText component;
  std::optional<ChildDataFlow> labels;
  std::optional<int64_t> points, seed;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &ClassBalancedOptions::dataflow,
                    "The dataflow to draw from; it must be indexed and have the same points in the "
                    "same order in each round."),
      broch::option("component", &ClassBalancedOptions::component,
                    "The component with the class, a single number: its name or index (from 0).")
          .schema(BROCH_COMPONENT_NAME_SCHEMA),
      broch::option("labels", &ClassBalancedOptions::labels,
                    "A dataflow that yields only the classes of the same points and is faster to "
                    "read; absent: the dataflow itself is read once."),
      broch::option("points", &ClassBalancedOptions::points,
                    "Number of data points in a round; null: the size of the dataflow.")
          .minimum(1),
      broch::option("seed", &ClassBalancedOptions::seed,
                    "The seed of the draws; null: derived from the run's seed."));
};

class ClassBalanced final : public Sampler {
 public:
  ClassBalanced(const Host& host, const ClassBalancedOptions& options)
      : Sampler(host, options.dataflow, options.points, options.seed, "class-balanced"),
        component_(Config(host), "/component"),
        labels_(options.labels) {}

 private:
  // The reciprocal of the number of points of the class.
  std::vector<double> weights() override {
    if (labels_) labels_->reset_state();
    const std::string place = labels_ ? "/labels" : "/dataflow";
    std::vector<double> classes = scan(host(), labels_ ? *labels_ : child(), component_, place);
    for (size_t i = 0; i < classes.size(); ++i)
      if (std::isnan(classes[i]))
        throw Error(BROCH_E_INVALID_ARGUMENT, place + ", point " + std::to_string(i) +
                                                  ", component " + component_.text() +
                                                  ": found NaN, expected a class");
    std::map<double, double> counts;
    for (const double one : classes) ++counts[one];
    for (double& one : classes) one = 1 / counts[one];
    return classes;
  }

  points::ComponentName component_;
  std::optional<ChildDataFlow> labels_;
};

}  // namespace broch::dataflows
