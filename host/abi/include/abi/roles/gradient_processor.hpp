// gradient_processor.hpp: a plugin in the role gradient_processor.
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

  // For each variable, whether its gradient is kept.
  std::vector<bool> keep(std::span<const broch_variable> variables);
  // `take` gets the processed gradients, with 0 for one that is unchanged. It is called inside the
  // plugin's call, because the handles end with that call; it must not throw. It is not called if
  // the plugin does not implement `process`.
  void process(broch_tower scope, std::span<const broch_variable> variables,
               std::span<const broch_tensor> gradients,
               const std::function<void(std::span<const broch_tensor> results)>& take) const;

 private:
  explicit GradientProcessor(Instance& instance);
};

}  // namespace broch::abi
