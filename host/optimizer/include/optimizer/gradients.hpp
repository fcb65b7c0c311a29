// gradients.hpp: gradients with the variables they belong to.
#pragma once
#include <vector>

#include "runtime/variables.hpp"

namespace broch::optimizer {

struct GradientList {
  std::vector<runtime::Variable*> variables;
  std::vector<runtime::Tensor> gradients;  // one for each variable; never undefined
};

}  // namespace broch::optimizer
