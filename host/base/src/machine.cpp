// machine.cpp: reads these facts from the system.
#include "base/machine.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string_view>

namespace broch::base {
namespace {

std::string model_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const size_t colon = line.find(": "); colon != line.npos) return line.substr(colon + 2);
  return "";
}

int usable_cores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

std::vector<std::string> isa() {
  std::vector<std::string> names;
#if defined(__x86_64__)
  const auto add = [&](const char* name, int supported) {
    if (supported) names.emplace_back(name);
  };
  add("sse4.2", __builtin_cpu_supports("sse4.2"));
  add("avx", __builtin_cpu_supports("avx"));
  add("avx2", __builtin_cpu_supports("avx2"));
  add("fma", __builtin_cpu_supports("fma"));
  add("avx512f", __builtin_cpu_supports("avx512f"));
  add("avx512bw", __builtin_cpu_supports("avx512bw"));
  add("avx512vl", __builtin_cpu_supports("avx512vl"));
  add("avx512vnni", __builtin_cpu_supports("avx512vnni"));
#endif
  return names;
}

// Environment variables may contain secrets, so only those with known prefixes are shown.
bool is_relevant(std::string_view assignment) {
  constexpr std::string_view kPrefixes[] = {"BROCH_",
                                            "CUDA_",
                                            "OMP_",
                                            "MKL_",
                                            "ATEN_",
                                            "TORCH_",
                                            "KMP_",
                                            "GOMP_",
                                            "NCCL_",
                                            "NO_COLOR=",
                                            "CLICOLOR_FORCE=",
                                            "XDG_DATA_HOME=",
                                            "LD_LIBRARY_PATH=",
                                            "LD_PRELOAD=",
                                            "PYTORCH_"};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return assignment.starts_with(prefix); });
}

}  // namespace

Cpu cpu() { return {model_name(), sysconf(_SC_NPROCESSORS_ONLN), usable_cores(), isa()}; }

uint64_t memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? uint64_t(pages) * uint64_t(size) : 0;
}

std::vector<std::pair<std::string, std::string>> limits() {
  std::vector<std::pair<std::string, std::string>> list;
  const auto add = [&](const char* name, auto resource) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0) return;
    list.emplace_back(
        name, limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur));
  };
  add("open files", RLIMIT_NOFILE);
  add("processes", RLIMIT_NPROC);
  add("address space", RLIMIT_AS);
  add("locked memory", RLIMIT_MEMLOCK);
  add("stack", RLIMIT_STACK);
  add("core file", RLIMIT_CORE);
  return list;
}

std::vector<std::pair<std::string, std::string>> environment() {
  std::vector<std::pair<std::string, std::string>> list;
  for (char** at = environ; *at; ++at) {
    const std::string_view assignment = *at;
    const size_t equals = assignment.find('=');
    if (equals == assignment.npos || !is_relevant(assignment)) continue;
    list.emplace_back(assignment.substr(0, equals), assignment.substr(equals + 1));
  }
  std::sort(list.begin(), list.end());
  return list;
}

}  // namespace broch::base
