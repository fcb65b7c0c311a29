// simulator_process.hpp: a process that plays games. It ends with this object, and by itself when
// this program has died.
#pragma once
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <broch/broch.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace a3c {

class SimulatorProcess {
 public:
  // log: a file for what it says.
  SimulatorProcess(const std::vector<std::string>& words, const std::string& log)
      : name_(words[0]), log_(log) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw broch::Error(BROCH_E_RESOURCE_EXHAUSTED, std::string("pipe: ") + strerror(errno));
    alive_ = ends[1];
    const int error = start(words, ends[0]);
    close(ends[0]);
    if (error == 0) return;
    close(alive_);
    throw broch::Error(BROCH_E_NOT_FOUND,
                       "cannot start " + name_ + ": " + strerror(error) + kWhatToDo);
  }
  ~SimulatorProcess() {
    if (process_ > 0) end();
  }
  SimulatorProcess(const SimulatorProcess&) = delete;
  SimulatorProcess& operator=(const SimulatorProcess&) = delete;

  // Throws Error if it has ended.
  void check() {
    int status = 0;
    if (process_ <= 0 || waitpid(process_, &status, WNOHANG) == 0) return;
    process_ = 0;
    close(alive_);
    const std::string how = WIFSIGNALED(status)
                                ? "signal " + std::to_string(WTERMSIG(status))
                                : "exit code " + std::to_string(WEXITSTATUS(status));
    throw broch::Error(BROCH_E_UNAVAILABLE,
                       "a simulator has ended with " + how + kWhatToDo + last_words());
  }

 private:
  static constexpr const char* kWhatToDo =
      "; the option python has to name a Python that has ale-py, numpy and pyzmq, such as the one "
      "that samples/a3c-atari/run makes";

  // Its standard input is a pipe that nobody writes to: it ends when this program ends.
  int start(std::vector<std::string> words, int input) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log_.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                     0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);  // Ctrl-C is for the trainer
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    const int error =
        posix_spawnp(&process_, arguments[0], &actions, &attributes, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
  }
  void end() {
    close(alive_);
    for (int i = 0; i < 100; ++i) {
      if (waitpid(process_, nullptr, WNOHANG) != 0) return;
      poll(nullptr, 0, 5);
    }
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  std::string last_words() const {
    constexpr size_t kMost = 1000;
    std::ifstream file(log_);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (text.empty()) return "";
    return "; it has said:\n" + text.substr(text.size() > kMost ? text.size() - kMost : 0);
  }

  std::string name_, log_;
  pid_t process_ = 0;
  int alive_ = -1;
};

}  // namespace a3c
