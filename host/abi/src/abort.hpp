// abort.hpp: aborts at the first failure of a plugin, so that a debugger shows where it happened.
#pragma once
#include <string>

namespace broch::abi {

// Aborts if BROCH_ABORT_ON_ERROR is set and neither empty nor 0. `why` is logged.
void abort_if_asked(const std::string& why);

}  // namespace broch::abi
