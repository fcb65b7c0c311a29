// monitor_failures.cpp: logs and counts failures of monitors.
#include "monitors/monitor_failures.hpp"

#include "base/log.hpp"

namespace broch::monitors {

void MonitorFailures::note(const abi::Instance& monitor, const base::Error& error) {
  const std::lock_guard lock(mutex_);
  for (Failed& failed : failed_)
    if (failed.monitor == &monitor) {
      ++failed.times;
      return;
    }
  failed_.push_back({&monitor, 1, error.what()});
  base::error(std::string(error.what()) + "\n  The training goes on; monitor '" + monitor.name() +
              "' misses what it should have received.");
}

void MonitorFailures::report() const {
  const std::lock_guard lock(mutex_);
  for (const Failed& failed : failed_)
    base::error("monitor '" + failed.monitor->name() + "' has failed " +
                std::to_string(failed.times) + (failed.times == 1 ? " time" : " times") +
                " in this training, the first time with: " + failed.first);
}

}  // namespace broch::monitors
