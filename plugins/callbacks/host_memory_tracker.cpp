// host_memory_tracker.cpp: the free memory of the machine and the memory of this process.
// tensorpack: `HostMemoryTracker`.
#include <broch/broch.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace {

constexpr double kGiB = 1 << 30;

// The number after a key in a file of /proc, in bytes. Linux counts in units of 1024 bytes there.
std::optional<double> bytes_of(const char* file, const std::string& key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);)
    if (line.compare(0, key.size() + 1, key + ":") == 0)
      return std::strtod(line.c_str() + key.size() + 1, nullptr) * 1024;
  return std::nullopt;
}

class HostMemoryTracker final : public broch::Callback {
 public:
  explicit HostMemoryTracker(const broch::Host& host) : host_(host), metrics_(host) {}

  void setup_graph() override { log("before the training is built"); }
  void before_train() override { log("before the training"); }
  void trigger() override {
    put("HostFreeMemory (GB)", bytes_of("/proc/meminfo", "MemAvailable"));
    put("ProcessMemory (GB)", bytes_of("/proc/self/status", "VmRSS"));
  }

 private:
  void log(const char* when) const {
    const auto free = bytes_of("/proc/meminfo", "MemAvailable");
    if (!free) return;
    char text[96];
    std::snprintf(text, sizeof text, "%.2f GiB of memory are free %s", *free / kGiB, when);
    host_.info(text);
  }
  void put(const char* name, std::optional<double> bytes) const {
    if (bytes) metrics_.put_scalar(name, *bytes / kGiB);
  }

  broch::Host host_;
  broch::Metrics metrics_;
};

}  // namespace

BROCH_CALLBACK(HostMemoryTracker, "broch.callback.host-memory-tracker", "1.0.0",
               "Reports the free memory of the machine and the memory of this process, in GiB.",
               broch::produces("HostFreeMemory (GB)", "ProcessMemory (GB)"), broch::run_on("all"))
