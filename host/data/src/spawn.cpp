// spawn.cpp: posix_spawn and waitpid.
#include "spawn.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/error.hpp"

namespace broch::data {
namespace {

constexpr std::chrono::milliseconds kPause{100};

}  // namespace

std::optional<int> run_program(std::vector<std::string> words,
                               const std::function<void()>& meanwhile) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) return std::nullopt;
  if (error != 0)
    base::fail(base::Exit::data, words[0], std::strerror(error), "a program that can be started");
  int status = 0;
  for (;;) {
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == pid) break;
    if (ended < 0 && errno != EINTR)
      base::fail(base::Exit::data, words[0], std::strerror(errno), "its exit code");
    meanwhile();
    std::this_thread::sleep_for(kPause);
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace broch::data
