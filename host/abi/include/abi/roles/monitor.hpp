// monitor.hpp: a plugin in the role monitor.
#pragma once
#include <span>

#include "abi/roles/role.hpp"
#include "broch/role/monitor.h"

namespace broch::abi {

class Monitor : public RoleOf<broch_monitor> {
 public:
  static Monitor make(Instance& instance) { return Monitor(instance, Role::main); }
  // For the thread of its queue, which calls it as [data].
  static Monitor make_queued(Instance& instance) { return Monitor(instance, Role::data); }

  bool queued() const { return table_.queued; }
  void process_scalar(const char* name, double value);
  void process_summary(std::span<const broch_summary_value> values);
  void process_image(const char* name, const broch_dl_tensor& image);
  void process_event(const char* kind, const void* data, uint64_t size);

 private:
  Monitor(Instance& instance, Role role);
  Role role_;
};

}  // namespace broch::abi
