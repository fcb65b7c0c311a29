// crash.hpp: whose code it was, when the process dies of a signal.
#pragma once

namespace broch::abi {

// Installs handlers for SIGSEGV, SIGABRT, SIGFPE, SIGBUS and SIGILL that write one line naming
// instance, hook and file of this thread's innermost breadcrumb and re-raise. They run on a stack
// of their own on this thread and on every thread that calls into a plugin afterwards.
void install_crash_handler();

// Remembers where the code of a library lies, which address is in, so that a crash outside of calls
// can be told to be in it. file is borrowed for ever.
void note_library(const void* address, const char* file);

// "broch: WHAT in callback 'x' (org.example.x) during trigger_step, file …" on stderr: what this
// thread is doing for whom. Safe in a signal handler.
void tell_place(const char* what);

// For what runs before there is an instance: "loading" and the file, NULLs afterwards. Borrowed
// until then. Fits plugins::LoadOptions::breadcrumb.
void note_loading(const char* what, const char* file);

}  // namespace broch::abi
