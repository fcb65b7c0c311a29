// devices.hpp: the GPUs that a trial may see.
#pragma once
#include <cstdint>
#include <string>

namespace broch::sweep {

// The variable of the environment that names them.
inline constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";

// What the system calls GPU `number` of those that this process sees. Throws base::Error (manifest)
// if it does not see so many.
std::string visible_device(int64_t number);

}  // namespace broch::sweep
