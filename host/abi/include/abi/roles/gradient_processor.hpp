// gradient_processor.hpp: a plugin as gradient processor.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "abi/roles/role.hpp"
#include "broch/role/gradient_processor.h"

namespace broch::abi {

class GradientProcessor : public RoleOf<broch_gradient_processor> {
 public:
  static GradientProcessor make(Instance& instance) { return GradientProcessor(instance); }

  // By variable: whether its gradient goes on.
  std::vector<bool> keep(std::span<const broch_variable> variables);
  // take gets the results, 0 where a gradient goes on unchanged, inside the call: their handles end
  // with it. It does not throw. Not called by a plugin that changes nothing.
  void process(broch_tower scope, std::span<const broch_variable> variables,
               std::span<const broch_tensor> gradients,
               const std::function<void(std::span<const broch_tensor> results)>& take) const;

 private:
  explicit GradientProcessor(Instance& instance);
};

}  // namespace broch::abi
