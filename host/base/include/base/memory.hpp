// memory.hpp: how much memory this machine has and this process uses, as the system reports it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace broch::base {

// All in bytes; no value if the system does not report it.
std::optional<int64_t> machine_memory();    // total memory of the machine
std::optional<int64_t> available_memory();  // memory that programs can still allocate
std::optional<int64_t> resident_memory();   // memory that this process uses now
std::optional<int64_t> peak_memory();       // the most that this process has used at once
// Starts the measurement of the peak again, if the system allows it.
void forget_peak_memory();

// The model of the processor, such as "AMD EPYC 9454"; "" if the system does not report it.
std::string processor_name();

}  // namespace broch::base
