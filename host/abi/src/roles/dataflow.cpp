// dataflow.cpp: the role dataflow.
#include "abi/roles/dataflow.hpp"

namespace broch::abi {

DataFlow::DataFlow(Instance& instance) : RoleOf(instance, BROCH_ROLE_DATAFLOW) {
  require_entry(instance, BROCH_ROLE_DATAFLOW, "open", table_.open);
  require_entry(instance, BROCH_ROLE_DATAFLOW, "next", table_.next);
}

void DataFlow::reset_state() {
  call("reset_state", Role::main, kOnlyOk, BROCH_OK, table_.reset_state);
}

void DataFlow::open(const void* cursor, uint64_t size) {
  invoke(*instance_, "open", Role::data, kOnlyOk, [&] { return table_.open(self_, cursor, size); });
}

broch_status DataFlow::next(const broch_cancel* cancel, broch_point point) {
  return invoke(*instance_, "next", Role::data, kMayEnd | kMayCancel,
                [&] { return table_.next(self_, cancel, lend(point)); });
}

bool DataFlow::size(int64_t* size) {
  *size = 0;
  const broch_status status = call("size", Role::main, kMayBeNone, BROCH_NONE, table_.size, size);
  return size_is_known(*instance_, status, *size);
}

}  // namespace broch::abi
