// crash.hpp: when a signal kills the process, says whose code was running.
#pragma once

namespace broch::abi {

// Installs handlers for SIGSEGV, SIGABRT, SIGFPE, SIGBUS and SIGILL. A handler writes one line with
// the instance, hook and file of this thread's innermost breadcrumb and raises the signal again.
// Handlers run on a stack of their own, on this thread and on every thread that calls into a plugin
// later.
void install_crash_handler();

// Records where the code of the library that contains `address` lies, so that a crash outside of
// calls can be attributed to it. `file` must stay valid until the process ends.
void note_library(const void* address, const char* file);

// Writes "broch: WHAT in callback 'x' (org.example.x) during trigger_step, file …" to stderr, which
// says what this thread is doing and for whom. Safe in a signal handler.
void tell_place(const char* what);

// Notes what is done with a library before there is an instance, such as "loading", and its file;
// afterwards it is called with two NULLs. Both texts must be valid until then. The signature fits
// plugins::LoadOptions::breadcrumb.
void note_loading(const char* what, const char* file);

}  // namespace broch::abi
