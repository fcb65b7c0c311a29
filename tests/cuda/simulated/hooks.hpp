// hooks.hpp: random numbers and page-locked memory of simulated devices.
#pragma once
#include <ATen/core/Generator.h>

namespace broch::simulated {

// The default generator of a device.
const at::Generator& default_generator(c10::DeviceIndex device);
// Another seed at each call, which depends on the generator's state alone.
uint64_t next_seed(at::Generator generator);

bool is_page_locked(const void* address);

}  // namespace broch::simulated
