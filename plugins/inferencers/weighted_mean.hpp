// weighted_mean.hpp: the mean of the numbers of an output over a round, each with its weight.
#pragma once
#include "samples.hpp"

namespace broch::inferencers {

struct WeightOptions {
  std::optional<std::string> weights, count;
  std::optional<int64_t> ignore_index;

  static constexpr auto schema = options(
      option("weights", &WeightOptions::weights,
             "Name of an output or input of the same shape with a weight for each number, such as "
             "a mask; null: the weight is 1."),
      option("count", &WeightOptions::count,
             "Name of an output or input, such as label: a number that is a mean over its elements "
             "already, such as a cost, has their number as its weight."),
      option("ignore_index", &WeightOptions::ignore_index,
             "Elements of count with this value do not count; null: all do."));
};

class WeightedMean {
 public:
  WeightedMean(const Host& host, const WeightOptions& options) : data_(host), options_(options) {
    if (options_.weights && options_.count)
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  "/count: found together with weights, expected one of them; remove the other");
    if (options_.ignore_index && !options_.count)
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  "/ignore_index: found without count, expected both; name the elements in count");
  }

  // What on_fetches needs besides the numbers; no name or one.
  std::vector<std::string> fetches() const {
    if (options_.weights) return {*options_.weights};
    if (options_.count) return {*options_.count};
    return {};
  }
  void clear() { sum_ = weight_ = 0; }
  // more: the tensor of fetches().
  void add(const std::string& name, broch_tensor numbers, const broch_tensor* more) {
    const std::vector<double> list = data_.doubles(numbers);
    std::vector<double> weights(list.size(), 1);
    if (options_.weights) {
      check_same_shape(Fetched(data_, name, numbers), Fetched(data_, *options_.weights, *more));
      weights = data_.doubles(*more);
    } else if (options_.count) {
      if (list.size() != 1)
        throw Error(BROCH_E_INVALID_ARGUMENT,
                    Fetched(data_, name, numbers).text() +
                        ": expected one number, the mean over the elements of " + *options_.count +
                        "; use weights for several numbers");
      weights[0] = counted(*more);
    }
    // A weight of 0 leaves out numbers that are not finite, too.
    for (size_t i = 0; i < list.size(); ++i)
      if (weights[i] != 0) sum_ += weights[i] * list[i], weight_ += weights[i];
  }
  // No value: there were no numbers.
  std::optional<double> value() const {
    return weight_ != 0 ? std::optional(sum_ / weight_) : std::nullopt;
  }

 private:
  double counted(broch_tensor elements) const {
    if (!options_.ignore_index) return double(data_.info(elements).element_count);
    int64_t count = 0;
    for (const double element : data_.doubles(elements))
      count += element != double(*options_.ignore_index);
    return double(count);
  }

  TensorData data_;
  WeightOptions options_;
  double sum_ = 0, weight_ = 0;
};

}  // namespace broch::inferencers
