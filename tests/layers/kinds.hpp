// kinds.hpp: the variables of kinds.cpp, and what they are after a training with plain LibTorch.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "plain.hpp"

namespace broch::layers_test {

// Of all variables, by name.
const std::map<std::string, std::vector<int64_t>>& shapes_of_kinds();

// After one step for each data point. Running statistics and counts are not trained, but change.
Weights trained_kinds(const Weights& first, double rate);

}  // namespace broch::layers_test
