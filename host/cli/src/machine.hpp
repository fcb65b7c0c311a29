// machine.hpp: what a bug report has to say about the machine.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace broch::cli {

struct Cpu {
  std::string model;             // "" when the system does not say
  long cores = 0;                // that are online
  int usable_cores = 0;          // that this process may run on
  std::vector<std::string> isa;  // what kernels choose by: "avx2", "fma", …
};
Cpu cpu();

// Bytes of memory; 0 when the system does not say.
uint64_t memory_bytes();

// Name and soft limit ("unlimited" or a number): open files, address space, …
std::vector<std::pair<std::string, std::string>> limits();

// Set variables that Broch or LibTorch listens to, by name.
std::vector<std::pair<std::string, std::string>> environment();

}  // namespace broch::cli
