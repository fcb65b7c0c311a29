// optimizer.hpp: a plugin as update rule.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/roles/role.hpp"
#include "broch/role/optimizer.h"

namespace broch::abi {

class Optimizer : public RoleOf<broch_optimizer> {
 public:
  static Optimizer make(Instance& instance) { return Optimizer(instance); }

  // Names with first values. A name is not empty, has no '/' and comes once.
  struct Outline {
    std::vector<std::pair<std::string, double>> hypers, slots;
  };
  Outline outline();

  // What update.new_values and new_slots become is for take, inside the call: the handles end with
  // it. take does not throw. REQUIRES: the lists of update are as long as the header says, all but
  // the new ones, which this makes.
  using Take = std::function<void(std::span<const broch_tensor> values,
                                  std::span<const broch_tensor> slots)>;
  void update(broch_update update, size_t slots, const Take& take) const;

 private:
  explicit Optimizer(Instance& instance);
};

}  // namespace broch::abi
