// memory.cpp: reads the numbers from Linux's /proc.
#include "base/memory.hpp"

#include <fstream>

namespace broch::base {
namespace {

// Reads a line such as "VmHWM:   1234 kB".
std::optional<int64_t> kib_line(const char* file, const std::string& name) {
  constexpr int64_t kKib = 1024;
  std::ifstream lines(file);
  for (std::string word; lines >> word;)
    if (int64_t kib = 0; word == name && lines >> kib) return kib * kKib;
  return std::nullopt;
}

constexpr const char* kMachine = "/proc/meminfo";
constexpr const char* kProcess = "/proc/self/status";

}  // namespace

std::optional<int64_t> machine_memory() { return kib_line(kMachine, "MemTotal:"); }
std::optional<int64_t> available_memory() { return kib_line(kMachine, "MemAvailable:"); }
std::optional<int64_t> resident_memory() { return kib_line(kProcess, "VmRSS:"); }
std::optional<int64_t> peak_memory() { return kib_line(kProcess, "VmHWM:"); }

void forget_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

std::string processor_name() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);)
    if (const size_t at = line.find(": "); line.starts_with("model name") && at != line.npos)
      return line.substr(at + 2);
  return "";
}

}  // namespace broch::base
