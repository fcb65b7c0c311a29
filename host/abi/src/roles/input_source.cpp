// input_source.cpp: the role input_source.
#include "abi/roles/input_source.hpp"

namespace broch::abi {

InputSource::InputSource(Instance& instance) : RoleOf(instance, BROCH_ROLE_INPUT_SOURCE) {
  require_entry(instance, BROCH_ROLE_INPUT_SOURCE, "setup", table_.setup);
  require_entry(instance, BROCH_ROLE_INPUT_SOURCE, "next", table_.next);
}

void InputSource::setup(const std::vector<InputSpec>& inputs) {
  const SpecArray array(inputs);
  invoke(*instance_, "setup", Role::main, kOnlyOk,
         [&] { return table_.setup(self_, array.data(), array.size()); });
}

void InputSource::reset_state() {
  call("reset_state", Role::main, kOnlyOk, BROCH_OK, table_.reset_state);
}

void InputSource::resume(std::span<const std::string> cursors) {
  std::vector<broch_bytes> bytes;
  for (const std::string& cursor : cursors) bytes.push_back({cursor.data(), cursor.size()});
  bool missing = !table_.resume;
  if (!missing)
    invoke(*instance_, "resume", Role::main, kOnlyOk, [&] {
      const broch_status status =
          table_.resume(self_, bytes.data(), static_cast<uint32_t>(bytes.size()));
      missing = says_unimplemented(status);
      return missing ? BROCH_OK : status;
    });
  if (missing) table_.resume = nullptr;
}

broch_status InputSource::next(uint32_t tower, const broch_cancel* cancel, broch_point point) {
  return invoke(*instance_, "next", Role::step, kMayEnd | kMayCancel,
                [&] { return table_.next(self_, tower, cancel, lend(point)); });
}

bool InputSource::size(int64_t* size) {
  *size = 0;
  const broch_status status = call("size", Role::main, kMayBeNone, BROCH_NONE, table_.size, size);
  return size_is_known(*instance_, status, *size);
}

void InputSource::stop() { call("stop", Role::main, kOnlyOk, BROCH_OK, table_.stop); }

void InputSource::set_towers(uint32_t n) {
  call("set_towers", Role::main, kOnlyOk, BROCH_OK, table_.set_towers, n);
}

}  // namespace broch::abi
