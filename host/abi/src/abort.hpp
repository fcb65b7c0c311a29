// abort.hpp: ends the process at the first failure of a plugin, for a debugger to show where.
#pragma once
#include <string>

namespace broch::abi {

// Does so where the environment has BROCH_ABORT_ON_ERROR, not empty and not 0. why: for the log.
void abort_if_asked(const std::string& why);

}  // namespace broch::abi
