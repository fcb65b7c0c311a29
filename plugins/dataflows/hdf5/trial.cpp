// trial.cpp: fork. The child only calls action; what it prints is dropped.
#include "hdf5/trial.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "arrays/diagnostic.hpp"

namespace hdf5 {
namespace {

// So that a crash ends the child silently, whatever this process does about its own.
void prepare_to_crash(unsigned seconds) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGINT, SIGTERM})
    std::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  alarm(seconds);
}

}  // namespace

void try_in_child(const std::string& file, unsigned seconds, const std::function<void()>& action) {
  const pid_t child = fork();
  if (child < 0) return;
  if (child == 0) {
    prepare_to_crash(seconds);
    try {
      action();
    } catch (...) {  // it is thrown again in the parent
    }
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  const char* const hint = "the file is damaged; copy or write it again";
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (signal == SIGALRM)
    arrays::refuse(file,
                   "a structure that libhdf5 has not read after " + std::to_string(seconds) + " s",
                   "an end of it", hint);
  arrays::refuse(file,
                 "a structure at which libhdf5 crashes" +
                     (signal ? " (SIG" + std::string(sigabbrev_np(signal)) + ")" : std::string()),
                 "one that it can read", hint);
}

}  // namespace hdf5
