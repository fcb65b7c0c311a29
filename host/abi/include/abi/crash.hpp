// crash.hpp: whose code it was, when the process dies of a signal.
#pragma once

namespace broch::abi {

// Installs handlers for SIGSEGV, SIGABRT, SIGFPE, SIGBUS and SIGILL that write one line naming
// instance, hook and file of this thread's innermost breadcrumb and re-raise. They run on a stack
// of their own on this thread and on every thread that calls into a plugin afterwards.
void install_crash_handler();

// For what runs before there is an instance: "loading" and the file, NULLs afterwards. Borrowed
// until then. Fits plugins::LoadOptions::breadcrumb.
void note_loading(const char* what, const char* file);

}  // namespace broch::abi
