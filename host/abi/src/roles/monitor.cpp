// monitor.cpp: the role monitor.
#include "abi/roles/monitor.hpp"

namespace broch::abi {

Monitor::Monitor(Instance& instance) : RoleOf(instance, BROCH_ROLE_MONITOR) {}

void Monitor::process_scalar(const char* name, double value) {
  call("process_scalar", Role::main, kOnlyOk, BROCH_OK, table_.process_scalar, name, value);
}

void Monitor::process_summary(std::span<const broch_summary_value> values) {
  call("process_summary", Role::main, kOnlyOk, BROCH_OK, table_.process_summary, values.data(),
       static_cast<uint32_t>(values.size()));
}

void Monitor::process_image(const char* name, const broch_dl_tensor& image) {
  call("process_image", Role::main, kOnlyOk, BROCH_OK, table_.process_image, name, &image);
}

void Monitor::process_event(const char* kind, const void* data, uint64_t size) {
  call("process_event", Role::main, kOnlyOk, BROCH_OK, table_.process_event, kind, data, size);
}

}  // namespace broch::abi
