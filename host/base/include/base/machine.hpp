// machine.hpp: facts about the machine for a bug report.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace broch::base {

struct Cpu {
  std::string model;             // "" if the system does not tell
  long cores = 0;                // online
  int usable_cores = 0;          // on which this process may run
  std::vector<std::string> isa;  // instruction sets that kernels use: "avx2", "fma", …
};
Cpu cpu();

// Bytes of memory; 0 if the system does not tell.
uint64_t memory_bytes();

// Names and soft limits ("unlimited" or a number) of open files, address space, …
std::vector<std::pair<std::string, std::string>> limits();

// The environment variables that affect Broch or LibTorch and are set, sorted by name.
std::vector<std::pair<std::string, std::string>> environment();

}  // namespace broch::base
