// model.hpp: a plugin as model.
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

  // Checked as read_input_spec says.
  std::vector<InputSpec> inputs();
  // keep gets the cost, 0 when the plugin set none, inside the call: its handle ends with it. keep
  // does not throw. REQUIRES: one call at a time per instance.
  void tower(broch_tower tower, const broch_tensor* inputs, uint32_t n,
             const std::function<void(broch_tensor cost)>& keep) const;
  bool has_example() const { return table_.example; }
  void example(broch_point point);
  std::string optimizer();  // text of an entry, "" when the model has none

 private:
  explicit Model(Instance& instance);
};

}  // namespace broch::abi
