// in_child.hpp: what a process that dies says, and how it dies.
#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <string>
#include <system_error>

namespace broch::test {

struct Death {
  int exit = -1;     // exit code, or -1
  int signal = 0;    // that killed it, or 0
  std::string text;  // on stderr
};

// Runs body in a forked child, which ends with code 0 when body returns.
inline Death in_child(const std::function<void()>& body) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    body();
    _exit(0);
  }
  close(ends[1]);
  Death death;
  char buffer[512];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) death.text.append(buffer, n);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) death.exit = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) death.signal = WTERMSIG(status);
  return death;
}

}  // namespace broch::test
