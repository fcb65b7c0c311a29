// memory.hpp: the memory of this machine and of this process, as the system counts it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace broch::base {

// Bytes; nothing where the system does not tell.
std::optional<int64_t> machine_memory();    // that there is
std::optional<int64_t> available_memory();  // that programs can still have
std::optional<int64_t> resident_memory();   // that this process holds
std::optional<int64_t> peak_memory();       // the most that it held at once
// The peak is counted anew from here, where the system allows it.
void forget_peak_memory();

// "AMD EPYC 9454"; "" where the system does not tell.
std::string processor_name();

}  // namespace broch::base
