// input_source.hpp: a plugin in the role input_source.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "abi/roles/input_spec.hpp"
#include "abi/roles/role.hpp"
#include "broch/role/input_source.h"

namespace broch::abi {

class InputSource : public RoleOf<broch_input_source> {
 public:
  static InputSource make(Instance& instance) { return InputSource(instance); }

  uint32_t flags() const { return table_.flags; }
  void setup(const std::vector<InputSpec>& inputs);
  void reset_state();
  bool can_resume() const { return table_.resume; }
  // If the plugin says that it cannot, can_resume() is false afterwards and nothing was done.
  void resume(std::span<const std::string> cursors);
  broch_status next(uint32_t tower, const broch_cancel* cancel,
                    broch_point point);  // OK, END, CANCELLED
  bool size(int64_t* size);              // false: the size is unknown
  void stop();
  void set_towers(uint32_t n);

 private:
  explicit InputSource(Instance& instance);
};

}  // namespace broch::abi
