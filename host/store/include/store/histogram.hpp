// histogram.hpp: the distribution of an array in TensorFlow's default buckets.
#pragma once
#include <span>
#include <string_view>
#include <vector>

namespace broch::store {

// Bucket i counts values in [bucket_limit[i - 1], bucket_limit[i]). Consecutive empty buckets are
// merged.
struct Histogram {
  double min = 0, max = 0, num = 0, sum = 0, sum_squares = 0;
  std::vector<double> bucket_limit, bucket;
};

// Throws Error(numbers) that names `name` if a value is NaN or infinite, as TensorFlow does.
Histogram histogram_of(std::span<const float> values, std::string_view name);

}  // namespace broch::store
