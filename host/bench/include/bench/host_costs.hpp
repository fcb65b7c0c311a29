// host_costs.hpp: measures what the host itself costs per step.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace broch::bench {

struct HostOptions {
  std::vector<std::string> plugin_path;
  int64_t steps = 2000;    // the second half is measured
  int64_t callbacks = 20;  // each fetches a scalar

  int64_t measured_steps() const { return steps / 2; }
};

// Nanoseconds per step of a run without any computation. Throws base::Error.
double measure_host(const HostOptions& options);

}  // namespace broch::bench
