// code.hpp: which library an instruction is of.
#pragma once
#include <signal.h>
#include <ucontext.h>

namespace broch::abi {

// Whose code a thread that is in no call was in: at the instruction, else the nearest on its stack
// that looks like a return address. NULL: of no library that was noted. Safe in a signal handler.
const char* file_of(const ucontext_t& context);

}  // namespace broch::abi
