// dataflow.hpp: a plugin in the role dataflow.
#pragma once
#include <optional>
#include <string>

#include "abi/roles/role.hpp"
#include "broch/role/dataflow.h"

namespace broch::abi {

class DataFlow : public RoleOf<broch_dataflow> {
 public:
  static DataFlow make(Instance& instance) { return DataFlow(instance); }

  void reset_state();
  void open(const void* cursor, uint64_t size);
  std::optional<std::string> start_cursor();  // none: the dataflow does not give it
  broch_status next(const broch_cancel* cancel, broch_point point);  // OK, END, CANCELLED
  bool size(int64_t* size);                                          // false: the size is unknown

 private:
  explicit DataFlow(Instance& instance);
};

}  // namespace broch::abi
