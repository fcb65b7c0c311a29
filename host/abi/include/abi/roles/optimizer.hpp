// optimizer.hpp: a plugin in the role optimizer (an update rule).
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

  // Names of hyper-parameters and slots with their initial values. A name is not empty, has no '/'
  // and is unique in its list.
  struct Spec {
    std::vector<std::pair<std::string, double>> hyper_params, slots;
  };
  Spec spec();
  // The shape of a slot of a variable with this shape. slot: its place in the list of the spec.
  std::vector<int64_t> slot_shape(size_t slot, std::span<const int64_t> shape) const;

  // `take` gets the contents of update.new_values and update.new_slots. It is called inside the
  // plugin's call, because the handles end with that call; it must not throw. REQUIRES: the lists
  // of `update` are as long as the SDK header says, except for the two new ones, which this
  // function makes.
  using Take = std::function<void(std::span<const broch_tensor> values,
                                  std::span<const broch_tensor> slots)>;
  void update(broch_update update, size_t slots, const Take& take) const;

 private:
  explicit Optimizer(Instance& instance);
};

}  // namespace broch::abi
