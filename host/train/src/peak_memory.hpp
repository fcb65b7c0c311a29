// peak_memory.hpp: the most memory that this process had at once, as the system counts it.
#pragma once
#include <cstdint>
#include <optional>

namespace broch::train {

// The peak is counted anew from here, where the system allows it.
void forget_peak_memory();
// Bytes; nothing where the system does not tell.
std::optional<int64_t> peak_memory();

}  // namespace broch::train
