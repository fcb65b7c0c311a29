// histogram.cpp: limits grow by a factor of 1.1 from 1e-12 to 1e20, on both sides of 0. Source:
// tensorflow/core/lib/histogram/histogram.cc.
#include "store/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"

namespace broch::store {
namespace {

std::vector<double> make_limits() {
  std::vector<double> positive;
  for (double limit = 1.0e-12; limit < 1.0e20; limit *= 1.1) positive.push_back(limit);
  positive.push_back(std::numeric_limits<double>::max());
  std::vector<double> limits;
  for (auto limit = positive.rbegin(); limit != positive.rend(); ++limit) limits.push_back(-*limit);
  limits.push_back(0.0);
  limits.insert(limits.end(), positive.begin(), positive.end());
  return limits;
}

void count(const std::vector<double>& counts, const std::vector<double>& limits,
           Histogram& histogram) {
  for (size_t i = 0; i < counts.size(); ++i) {
    const bool more_of_a_gap = i > 0 && counts[i] == 0 && counts[i - 1] == 0;
    if (more_of_a_gap) {
      histogram.bucket_limit.back() = limits[i];
    } else {
      histogram.bucket_limit.push_back(limits[i]);
      histogram.bucket.push_back(counts[i]);
    }
  }
}

}  // namespace

Histogram histogram_of(std::span<const float> values, std::string_view name) {
  static const std::vector<double> kLimits = make_limits();
  Histogram histogram;
  histogram.min = kLimits.back();
  histogram.max = kLimits.front();
  std::vector<double> counts(kLimits.size(), 0.0);
  for (const double value : values) {
    if (!std::isfinite(value)) {
      throw base::Error(
          base::Exit::numbers,
          base::Diagnostic{"histogram " + base::quoted(name), "the value " + base::shortest(value),
                           "finite values", "look for the first step with NaN or infinity"});
    }
    const auto bucket = std::upper_bound(kLimits.begin(), kLimits.end(), value);
    counts[static_cast<size_t>(bucket - kLimits.begin())] += 1;
    histogram.min = std::min(histogram.min, value);
    histogram.max = std::max(histogram.max, value);
    histogram.num += 1;
    histogram.sum += value;
    histogram.sum_squares += value * value;
  }
  count(counts, kLimits, histogram);
  return histogram;
}

}  // namespace broch::store
