// code.hpp: finds the library that an instruction belongs to.
#pragma once
#include <signal.h>
#include <ucontext.h>

#include "place.hpp"

namespace broch::abi {

// For a thread that is not in a call: the library of the current instruction. NULL if it is none
// that was noted. Safe in a signal handler.
const char* file_of_instruction(const ucontext_t& context);
// For a thread of a plugin: also, the library of the nearest word on the stack that looks like a
// return address. On a thread of the host, such words are left over from calls that have returned.
const char* file_of_thread(const ucontext_t& context);

// Called before a library makes an instance. Stores copies of the names, which stay valid after the
// instance is gone.
void note_component(const Instance& instance);
// Adds " of callback 'x' (org.example.x)" for the components that were made from this library. Safe
// in a signal handler.
void name_components(Line& line, const char* file);

}  // namespace broch::abi
