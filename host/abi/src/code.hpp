// code.hpp: which library an instruction is of.
#pragma once
#include <signal.h>
#include <ucontext.h>

#include "place.hpp"

namespace broch::abi {

// Whose code a thread that is in no call was in: at the instruction, else the nearest on its stack
// that looks like a return address. NULL: of no library that was noted. Safe in a signal handler.
const char* file_of(const ucontext_t& context);

// An instance is about to be made by a library. What is told about it stays true when it is gone.
void note_component(const Instance& instance);
// " of callback 'x' (org.example.x)": whatever was made by that library. Safe in a signal handler.
void name_components(Line& line, const char* file);

}  // namespace broch::abi
