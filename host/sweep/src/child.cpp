// child.cpp: fork and exec.
#include "child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/error.hpp"
#include "base/signals.hpp"

namespace broch::sweep {
namespace {

constexpr int kNotExecuted = 127;

std::vector<std::string> environment_of(const Launch& launch) {
  std::vector<std::string> all;
  for (const auto& [name, value] : launch.environment) all.push_back(name + "=" + value);
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry, name = text.substr(0, text.find('='));
    if (std::ranges::none_of(launch.environment,
                             [name](const auto& own) { return own.first == name; }))
      all.emplace_back(text);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

void redirect(int descriptor, int to) {
  if (descriptor >= 0) dup2(descriptor, to);
}

// Runs between fork and exec.
[[noreturn]] void become(const Launch& launch, char* const* words, char* const* environment,
                         pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(kNotExecuted);  // it ended before the line above
  for (const int number : base::kEndingSignals) signal(number, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (launch.cores) sched_setaffinity(0, sizeof *launch.cores, &*launch.cores);
  if (launch.input < 0) redirect(open("/dev/null", O_RDONLY), STDIN_FILENO);
  redirect(launch.input, STDIN_FILENO);
  redirect(launch.output, STDOUT_FILENO);
  redirect(launch.errors, STDERR_FILENO);
  if (!launch.folder.empty() && chdir(launch.folder.c_str()) != 0) _exit(kNotExecuted);
  execvpe(launch.program.c_str(), words, environment);
  _exit(kNotExecuted);
}

}  // namespace

Child::Child(const Launch& launch) {
  std::vector<std::string> words{launch.program}, environment = environment_of(launch);
  words.insert(words.end(), launch.words.begin(), launch.words.end());
  const std::vector<char*> word_list = pointers(words), entries = pointers(environment);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) become(launch, word_list.data(), entries.data(), parent);
  if (pid_ < 0)
    base::fail(base::Exit::data, launch.program, std::strerror(errno), "a new process",
               "check the limit of processes and memory");
  setpgid(pid_, pid_);  // in parent and child, so that it is set in both
}

Child::~Child() {
  if (pid_ < 0) return;
  kill(-pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
}

void Child::signal(int number) const {
  if (pid_ >= 0) kill(pid_, number);
}

std::optional<int> Child::ended() {
  siginfo_t info{};
  // It stays a zombie until its group is ended below, so that the number cannot become another's.
  if (waitid(P_PID, id_t(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != pid_)
    return std::nullopt;
  kill(-pid_, SIGKILL);  // what it has left behind
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  pid_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace broch::sweep
