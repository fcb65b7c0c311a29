// launch.cpp: starts the ranks, reserves the port where they meet, and prints what they log.
#include "dist/launch.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/command_line.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/signals.hpp"

namespace broch::dist {
namespace {

using Clock = std::chrono::steady_clock;

// For the other ranks, after one failed; twice that between SIGTERM and SIGKILL.
constexpr std::chrono::seconds kPatience{2};
// For the other ranks to save, after a signal has ended one.
constexpr std::chrono::minutes kSaving{10};
constexpr size_t kTail = 4096;  // bytes of a rank's output

constexpr std::chrono::seconds kDraining{1};  // for output after the last rank has ended

volatile sig_atomic_t received[NSIG] = {};  // by number: signals that are to be handed on
void (*pipe_before)(int) = SIG_DFL;         // what SIGPIPE did before launch

// While a rank is started: until it is a program of its own, the launcher's handler would swallow
// its signals.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsHeld() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

  void release_in_rank() const {
    for (const int signal : base::kEndingSignals)
      if (base::is_handled(signal)) std::signal(signal, SIG_DFL);
    std::signal(SIGPIPE, pipe_before);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_{};
};

// How a rank ends that a signal has interrupted: with its state saved, or without.
bool is_interruption(int code) {
  return code == static_cast<int>(base::Exit::saved) ||
         code == static_cast<int>(base::Exit::interrupted) ||
         code == static_cast<int>(base::Exit::terminated);
}

[[noreturn]] void refuse(const char* what) {
  throw base::Error{base::Exit::training,
                    {"broch train --ranks", std::string(what) + " failed: " + strerror(errno),
                     "processes and sockets for each rank", "see ulimit -u and ulimit -n"}};
}

// A port of this machine that no other process can take before rank 0 uses it.
struct ReservedPort {
  ReservedPort() : descriptor(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const place = reinterpret_cast<sockaddr*>(&address);
    if (descriptor < 0 || bind(descriptor, place, size) != 0 || listen(descriptor, 1024) != 0 ||
        getsockname(descriptor, place, &size) != 0)
      refuse("opening a port");
    port = ntohs(address.sin_port);
  }
  ~ReservedPort() { close(descriptor); }
  ReservedPort(const ReservedPort&) = delete;
  ReservedPort& operator=(const ReservedPort&) = delete;
  int descriptor;
  uint16_t port = 0;
};

struct Rank {
  pid_t process = -1;
  int says = -1;     // its stderr; -1: uses our stderr, or has closed its own
  std::string line;  // an incomplete line of output
  std::string tail;
  bool running() const { return process > 0; }
};

void set(const char* name, uint32_t value) { setenv(name, std::to_string(value).c_str(), 1); }

[[noreturn]] void become(uint32_t rank, uint32_t world, const ReservedPort& reserved, int says,
                         pid_t launcher, char** arguments, const SignalsHeld& held) {
  setpgid(0, 0);  // a signal from the terminal reaches it only through the launcher
  held.release_in_rank();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher) _exit(static_cast<int>(base::Exit::training));  // it died before
  set("RANK", rank);
  set("LOCAL_RANK", rank);
  set("WORLD_SIZE", world);
  set("LOCAL_WORLD_SIZE", world);
  setenv("MASTER_ADDR", "127.0.0.1", 1);
  set("MASTER_PORT", reserved.port);
  set("BROCH_MASTER_FD", static_cast<uint32_t>(reserved.descriptor));
  unsetenv("TORCHELASTIC_USE_AGENT_STORE");
  unsetenv("TORCHELASTIC_RESTART_COUNT");
  if (rank != 0) close(reserved.descriptor);
  if (says >= 0) dup2(says, STDERR_FILENO);
  execv("/proc/self/exe", arguments);
  std::perror("broch train --ranks: execv");
  _exit(static_cast<int>(base::Exit::training));
}

class Ranks {
 public:
  Ranks(uint32_t world, char** arguments) : ranks_(world) {
    for (uint32_t rank = 0; rank < world; ++rank) start(rank, arguments);
  }
  ~Ranks() {
    for (const Rank& rank : ranks_)
      if (rank.running()) kill(-rank.process, SIGKILL);
  }

  int wait() {
    while (true) {
      listen_for(std::chrono::milliseconds(100));
      reap();
      hand_on();
      if (running() == 0) break;
      if (failed_ >= 0 || exit_ != 0) hurry();
    }
    drain();
    if (failed_ > 0 && !ranks_[failed_].tail.empty())
      base::error("rank " + std::to_string(failed_) + " ended first, " + how_ +
                  ". Its last output:\n" + ranks_[failed_].tail);
    return exit_;
  }

 private:
  void start(uint32_t number, char** arguments) {
    int ends[2] = {-1, -1};
    if (number > 0 && pipe2(ends, O_CLOEXEC) != 0) refuse("a pipe");
    Rank& rank = ranks_[number];
    const pid_t launcher = getpid();
    const SignalsHeld held;
    rank.process = fork();
    if (rank.process < 0) refuse("fork");
    if (rank.process == 0)
      become(number, static_cast<uint32_t>(ranks_.size()), reserved_port_, ends[1], launcher,
             arguments, held);
    setpgid(rank.process, rank.process);
    if (number > 0) close(ends[1]);
    rank.says = ends[0];
  }

  size_t running() const {
    size_t count = 0;
    for (const Rank& rank : ranks_) count += rank.running();
    return count;
  }

  // Whether a rank has said something, or has closed its output.
  bool listen_for(std::chrono::milliseconds time) {
    std::vector<pollfd> polled;
    std::vector<size_t> who;
    for (size_t i = 0; i < ranks_.size(); ++i)
      if (ranks_[i].says >= 0) {
        polled.push_back({ranks_[i].says, POLLIN, 0});
        who.push_back(i);
      }
    if (poll(polled.data(), polled.size(), static_cast<int>(time.count())) <= 0) return false;
    for (size_t i = 0; i < polled.size(); ++i)
      if (polled[i].revents) take(who[i]);
    return true;
  }

  // What ended ranks have left in their pipes. A process that a rank has started may still write.
  void drain() {
    const auto start = Clock::now();
    while (listen_for(std::chrono::milliseconds(0)) && Clock::now() - start < kDraining) continue;
    for (size_t i = 0; i < ranks_.size(); ++i)
      if (!ranks_[i].line.empty()) pass_on(i);
  }

  void take(size_t number) {
    Rank& rank = ranks_[number];
    char bytes[4096];
    const ssize_t count = read(rank.says, bytes, sizeof bytes);
    if (count <= 0) {
      if (!rank.line.empty()) pass_on(number);
      close(rank.says);
      rank.says = -1;
      return;
    }
    for (ssize_t i = 0; i < count; ++i) {
      rank.line += bytes[i];
      if (bytes[i] == '\n') pass_on(number);
    }
  }

  void pass_on(size_t number) {
    Rank& rank = ranks_[number];
    if (rank.line.back() != '\n') rank.line += '\n';
    std::fprintf(stderr, "[rank %zu] %s", number, rank.line.c_str());
    rank.tail += rank.line;
    if (rank.tail.size() > kTail) rank.tail.erase(0, rank.tail.size() - kTail);
    rank.line.clear();
  }

  // If a rank was killed, that is the reason why others end, even if both are found at once. So
  // killed ranks come first.
  void reap() {
    std::vector<std::pair<size_t, int>> ended;
    for (size_t i = 0; i < ranks_.size(); ++i) {
      int status = 0;
      if (!ranks_[i].running() || waitpid(ranks_[i].process, &status, WNOHANG) <= 0) continue;
      ranks_[i].process = -1;
      ended.emplace_back(i, status);
    }
    for (const auto& [number, status] : ended)
      if (WIFSIGNALED(status)) was_killed(number, WTERMSIG(status));
    for (const auto& [number, status] : ended)
      if (WIFEXITED(status) && WEXITSTATUS(status) != 0) has_exited(number, WEXITSTATUS(status));
  }

  void has_exited(size_t number, int code) {
    if (is_interruption(code)) return was_interrupted(number, code);
    failed(number, code, "with exit code " + std::to_string(code),
           code == static_cast<int>(base::Exit::collective));
  }

  // All ranks end then, each in its time, and a failure counts more. Rank 0 saves for all, so its
  // code says whether the run continues exactly, also where the others have ended alone.
  void was_interrupted(size_t number, int code) {
    if (failed_ >= 0) return;
    if (exit_ == 0) since_ = Clock::now();
    if (number == 0)
      exit_ = code;
    else if (ranks_[0].running() || exit_ == 0)
      exit_ = std::max(exit_, code);
  }

  void was_killed(size_t number, int signal) {
    if (told_) return;                           // this launcher has killed it
    if (handed_on_[signal] || received[signal])  // before it could handle the signal
      return was_interrupted(number, static_cast<int>(signal == SIGINT ? base::Exit::interrupted
                                                                       : base::Exit::terminated));
    const char* const name = sigabbrev_np(signal);
    base::error("rank " + std::to_string(number) + " was killed by signal " +
                std::to_string(signal) + (name ? " (SIG" + std::string(name) + ")" : "") +
                (signal == SIGKILL ? ", perhaps because memory was short: see dmesg" : ""));
    failed(number, static_cast<int>(base::Exit::collective), "killed", false);
  }

  // Remembers the rank that caused the failure: the first that failed. But a rank that exits
  // because it lost another one is not the cause, if that other one fails later with a reason of
  // its own.
  void failed(size_t number, int code, const std::string& how, bool lost_another) {
    if (failed_ >= 0 && (!lost_another_ || lost_another || told_)) return;
    if (failed_ < 0) since_ = Clock::now();
    failed_ = static_cast<int>(number);
    lost_another_ = lost_another;
    exit_ = code;
    how_ = how;
  }

  void hand_on() {
    for (const int signal : base::kEndingSignals) {
      if (!received[signal]) continue;
      received[signal] = 0;  // first, as another one may come meanwhile
      handed_on_[signal] = true;
      for (const Rank& rank : ranks_)
        if (rank.running()) kill(rank.process, signal);
    }
  }

  // When a rank has failed, the others cannot continue. Ends them, first with SIGTERM.
  void hurry() {
    const Clock::duration patience = failed_ >= 0 ? Clock::duration(kPatience) : kSaving;
    const auto waited = Clock::now() - since_;
    if (waited < patience || (told_ && waited < patience + 2 * kPatience)) return;
    for (const Rank& rank : ranks_)
      if (rank.running()) kill(-rank.process, told_ ? SIGKILL : SIGTERM);
    told_ = true;
  }

  ReservedPort reserved_port_;
  std::vector<Rank> ranks_;
  int failed_ = -1;            // the one that caused the failure
  bool lost_another_ = false;  // its failure is the loss of another rank
  int exit_ = 0;
  std::array<bool, NSIG> handed_on_{};  // by number of the signal
  std::string how_;                     // how it ended, in words
  bool told_ = false;
  Clock::time_point since_;
};

}  // namespace

int launch(uint32_t ranks) {
  for (const int signal : base::kEndingSignals)
    if (base::is_handled(signal)) std::signal(signal, [](int number) { received[number] = 1; });
  // The ranks would end with this process, and must not because nobody reads what they say.
  pipe_before = std::signal(SIGPIPE, SIG_IGN);
  std::vector<std::string> words = base::command_words();
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return Ranks(ranks, arguments.data()).wait();
}

}  // namespace broch::dist
