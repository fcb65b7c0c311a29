// model.hpp: a plugin as model.
#pragma once
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
  // The cost; 0 when the plugin set none. REQUIRES: one call at a time per instance.
  broch_tensor tower(broch_tower tower, const broch_tensor* inputs, uint32_t n);
  bool has_example() const { return table_.example; }
  void example(broch_point point);
  std::string optimizer();  // text of an entry, "" when the model has none

 private:
  explicit Model(Instance& instance);
};

}  // namespace broch::abi
