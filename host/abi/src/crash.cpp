// crash.cpp: the last line of a process that a signal kills. Uses only calls that are safe in a
// handler.
#include "abi/crash.hpp"

#include <signal.h>
#include <ucontext.h>

#include "abi/thread.hpp"
#include "code.hpp"
#include "place.hpp"
#include "signal_stack.hpp"

namespace broch::abi {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL};

const char* signal_name(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGABRT:
      return "SIGABRT";
    case SIGFPE:
      return "SIGFPE";
    case SIGBUS:
      return "SIGBUS";
    case SIGILL:
      return "SIGILL";
    default:
      return "a signal";
  }
}

// A thread of the host notes each call of a plugin, so outside of calls only its instruction
// counts.
void name_code(Line& line, const ThreadState& thread, const ucontext_t& context) {
  const bool is_host = thread.arena && !was_announced();
  const char* const file = is_host ? file_of_instruction(context) : file_of_thread(context);
  if (!file) {
    line << " outside of plugins";
    return;
  }
  line << " in code of " << file;
  name_components(line, file);
  line << (is_host ? ", outside of calls" : ", on a thread that was not announced");
}

// Because of SA_RESETHAND and SA_NODEFER, raising the signal again ends the process as it would
// have without this handler.
void last_words(int signal, siginfo_t*, void* context) {
  const ThreadState& thread = thread_state();
  Line line;
  line << "broch: " << signal_name(signal);
  if (in_plugin(thread))
    name_place(line, thread);
  else
    name_code(line, thread, *static_cast<const ucontext_t*>(context));
  if (signal == SIGBUS) line << "; was a file cut short while it was read?";
  line.write();
  raise(signal);
}

}  // namespace

SignalStack::SignalStack() {
  stack_t now{};
  if (sigaltstack(nullptr, &now) != 0 || !(now.ss_flags & SS_DISABLE)) return;
  memory_ = std::make_unique<std::byte[]>(kSize);
  stack_t stack{};
  stack.ss_sp = memory_.get();
  stack.ss_size = kSize;
  if (sigaltstack(&stack, nullptr) != 0) memory_.reset();
}

SignalStack::~SignalStack() {
  if (!memory_) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
}

void install_crash_handler() {
  prepared_thread();
  struct sigaction action {};
  action.sa_sigaction = last_words;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) sigaction(signal, &action, nullptr);
}

void tell_place(const char* what) {
  const ThreadState& thread = thread_state();
  Line line;
  line << "broch: " << what;
  if (in_plugin(thread))
    name_place(line, thread);
  else
    line << " outside of plugins";
  line.write();
}

void note_loading(const char* what, const char* file) {
  thread_state().loading = what;
  thread_state().loading_file = file ? file : "";
}

}  // namespace broch::abi
