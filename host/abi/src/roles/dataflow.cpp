// dataflow.cpp: the role dataflow.
#include "abi/roles/dataflow.hpp"

#include "collector.hpp"

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

std::optional<std::string> DataFlow::start_cursor() {
  if (!table_.start_cursor) return std::nullopt;
  TextCollector cursor;
  const broch_writer writer = cursor.writer();
  const broch_status status = invoke(*instance_, "start_cursor", Role::data, kMayBeNone, [&] {
    const broch_status own = table_.start_cursor(self_, &writer);
    return says_unimplemented(own) ? BROCH_NONE : cursor.end(own);
  });
  if (status == BROCH_NONE) return std::nullopt;
  const size_t size = cursor.list.size();
  if (size == 0 || size > BROCH_CURSOR_SIZE_MAX)
    throw violation(
        *instance_, "wrote " + std::to_string(size) + " bytes in start_cursor",
        "1 to " + std::to_string(BROCH_CURSOR_SIZE_MAX) + ", or the outcome NONE for no cursor");
  return std::move(cursor.list);
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
