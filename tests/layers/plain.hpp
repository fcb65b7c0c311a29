// plain.hpp: the same layers as LibTorch has them, or as their papers say, and plain descent.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace broch::layers_test {

struct Weight {
  std::vector<int64_t> shape;
  std::vector<double> values;
};
using Weights = std::map<std::string, Weight>;

// After one step for each data point, by rate times the gradient.
Weights trained(const std::string& layer, const Weights& first, double rate);

}  // namespace broch::layers_test
