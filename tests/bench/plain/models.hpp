// models.hpp: the workloads as functions of LibTorch.
#pragma once
#include <functional>

#include "variables.hpp"

namespace broch::bench {

using Point = std::vector<at::Tensor>;
using Costs = std::vector<at::Tensor>;
enum class Rule { sgd, momentum, adam };

struct Workload {
  std::vector<Component> components;  // of a data point
  Rule rule;
  double rate;
  // One cost for each scope.
  std::function<Costs(Variables&, const Point&)> costs;
  std::vector<std::string> scopes = {""};  // the start of the names of what learns from a cost
};

// Throws std::out_of_range for a name that is none.
Workload workload(const std::string& name);

}  // namespace broch::bench
