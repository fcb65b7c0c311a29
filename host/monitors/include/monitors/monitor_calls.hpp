// monitor_calls.hpp: copies of what monitors receive, for those that receive it later.
#pragma once
#include <functional>
#include <memory>
#include <span>

#include "abi/roles.hpp"

namespace broch::monitors {

// A call of a monitor with arguments of its own.
struct MonitorCall {
  std::function<void(abi::Monitor&)> make;
  size_t bytes = 0;   // of the arguments, about
  size_t values = 0;  // that a monitor misses without this call
};
using SharedCall = std::shared_ptr<const MonitorCall>;

SharedCall copy_scalar(const char* name, double value);
// Throws base::Error (data) for a tensor that cannot be copied.
SharedCall copy_summary(std::span<const broch_summary_value> values);
SharedCall copy_image(const char* name, const broch_dl_tensor& image);
SharedCall copy_event(const char* kind, const void* data, uint64_t size);

}  // namespace broch::monitors
