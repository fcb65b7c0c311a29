// model.hpp: a plugin in the role model.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "abi/roles/input_spec.hpp"
#include "abi/roles/role.hpp"

namespace broch::abi {

class Model : public RoleOf<broch_model> {
 public:
  static Model make(Instance& instance) { return Model(instance); }

  // The inputs, checked by read_input_spec.
  std::vector<InputSpec> inputs();
  // `keep` gets the cost, or 0 if the plugin set none. It is called inside the plugin's call,
  // because the handle ends with that call; it must not throw. REQUIRES: one call at a time per
  // instance.
  void tower(broch_tower tower, const broch_tensor* inputs, uint32_t n,
             const std::function<void(broch_tensor cost)>& keep) const;
  // Fills point with the model's example. False: the model has none.
  bool example(broch_point point);
  std::string optimizer();  // text of an optimizer entry; "" if the model has none

 private:
  explicit Model(Instance& instance);
};

}  // namespace broch::abi
