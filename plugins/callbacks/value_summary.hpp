// value_summary.hpp: the summaries of a list of numbers, for the monitors. tensorpack:
// `add_tensor_summary`.
#pragma once
#include <algorithm>
#include <broch/broch.hpp>
#include <cmath>
#include <deque>

namespace broch::callbacks {

// Throws Error unless all of these are kinds of summaries. pointer: of the option.
inline void check_kinds(const std::string& pointer, const std::vector<std::string>& kinds) {
  for (const std::string& kind : kinds)
    if (kind != "scalar" && kind != "histogram" && kind != "sparsity" && kind != "mean" &&
        kind != "rms")
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  pointer + ": found kind '" + kind +
                      "', expected scalar, histogram, sparsity, mean or rms");
}

// Values of one put_summary, which keep their memory until it is called.
class ValueSummary {
 public:
  // Adds the summaries of these kinds. A scalar is left out if there is more than one number.
  void add(const std::string& name, std::vector<double> numbers,
           const std::vector<std::string>& kinds) {
    if (numbers.empty()) return;
    for (const std::string& kind : kinds)
      if (kind == "histogram")
        histogram(name + "-histogram", numbers);
      else if (kind != "scalar")
        scalar(name + "-" + kind, number_of(kind, numbers));
      else if (numbers.size() == 1)
        scalar(name, numbers[0]);
  }
  void put(const Metrics& metrics) const {
    if (!values_.empty()) metrics.put_summary(values_);
  }

 private:
  struct Numbers {
    std::vector<double> data;
    int64_t size;
    broch_dl_tensor tensor;
  };

  static double number_of(const std::string& kind, const std::vector<double>& numbers) {
    const auto count = double(numbers.size());
    if (kind == "sparsity") return double(std::count(numbers.begin(), numbers.end(), 0.0)) / count;
    double sum = 0;
    for (const double number : numbers) sum += kind == "rms" ? number * number : number;
    return kind == "rms" ? std::sqrt(sum / count) : sum / count;
  }
  void scalar(const std::string& tag, double value) {
    values_.push_back(
        {tags_.emplace_back(tag).c_str(), BROCH_SUMMARY_SCALAR, 0, value, nullptr, nullptr, 0});
  }
  void histogram(const std::string& tag, const std::vector<double>& numbers) {
    Numbers& kept = numbers_.emplace_back(Numbers{numbers, int64_t(numbers.size()), {}});
    kept.tensor = dl_view(kept.data.data(), dl_type(BROCH_FLOAT64), &kept.size, 1);
    values_.push_back(
        {tags_.emplace_back(tag).c_str(), BROCH_SUMMARY_HISTOGRAM, 0, 0, &kept.tensor, nullptr, 0});
  }

  std::deque<std::string> tags_;  // whose addresses stay
  std::deque<Numbers> numbers_;
  std::vector<broch_summary_value> values_;
};

}  // namespace broch::callbacks
