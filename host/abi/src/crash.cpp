// crash.cpp: the last line of a process that a signal kills. Only calls that are safe in a handler.
#include "abi/crash.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "abi/instance.hpp"
#include "abi/thread.hpp"
#include "announced.hpp"
#include "signal_stack.hpp"

namespace broch::abi {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL};

class Line {
 public:
  Line& operator<<(const char* text) {
    const size_t length = std::min(std::strlen(text), sizeof text_ - 1 - size_);
    std::memcpy(text_ + size_, text, length);
    size_ += length;
    return *this;
  }
  void write() {
    text_[size_++] = '\n';
    const ssize_t ignored = ::write(STDERR_FILENO, text_, size_);
    static_cast<void>(ignored);
  }

 private:
  char text_[1024];
  size_t size_ = 0;
};

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

void name_thread(Line& line, const Announced& thread) {
  line << " in " << thread.label.c_str() << " on its thread '" << thread.name.c_str() << "', file "
       << thread.file.c_str();
}

void name_call(Line& line, const Breadcrumb& crumb) {
  line << " in " << crumb.instance->label().c_str() << " during " << crumb.hook << ", file "
       << crumb.instance->spec().file.c_str();
}

// SA_RESETHAND and SA_NODEFER: raising it again ends the process as if nobody had looked.
void last_words(int signal) {
  const ThreadState& thread = thread_state();
  Line line;
  line << "broch: " << signal_name(signal);
  if (thread.loading)
    line << " while " << thread.loading << " " << thread.loading_file;
  else if (!thread.top)
    line << " outside of plugins";
  else if (thread.top->announced)
    name_thread(line, static_cast<const Announced&>(*thread.top));
  else
    name_call(line, *thread.top);
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
  action.sa_handler = last_words;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) sigaction(signal, &action, nullptr);
}

void note_loading(const char* what, const char* file) {
  thread_state().loading = what;
  thread_state().loading_file = file ? file : "";
}

}  // namespace broch::abi
