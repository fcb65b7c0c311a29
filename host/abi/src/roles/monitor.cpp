// monitor.cpp: the role monitor.
#include "abi/roles/monitor.hpp"

namespace broch::abi {

Monitor::Monitor(Instance& instance, Role role)
    : RoleOf(instance, BROCH_ROLE_MONITOR), role_(role) {
  if (table_.queued <= 1 && table_.reserved_2 == 0) return;
  throw base::Error(base::Exit::plugin,
                    {instance.label() + ", its table " + BROCH_ROLE_MONITOR,
                     "queued " + std::to_string(table_.queued) + ", reserved_2 " +
                         std::to_string(table_.reserved_2),
                     "0 or 1, and 0", "this is a mistake in the plugin, tell its author"});
}

void Monitor::process_scalar(const char* name, double value) {
  call("process_scalar", role_, kOnlyOk, BROCH_OK, table_.process_scalar, name, value);
}

void Monitor::process_summary(std::span<const broch_summary_value> values) {
  call("process_summary", role_, kOnlyOk, BROCH_OK, table_.process_summary, values.data(),
       static_cast<uint32_t>(values.size()));
}

void Monitor::process_image(const char* name, const broch_dl_tensor& image) {
  call("process_image", role_, kOnlyOk, BROCH_OK, table_.process_image, name, &image);
}

void Monitor::process_event(const char* kind, const void* data, uint64_t size) {
  call("process_event", role_, kOnlyOk, BROCH_OK, table_.process_event, kind, data, size);
}

}  // namespace broch::abi
