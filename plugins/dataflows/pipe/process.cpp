// process.cpp: starts a child process, exchanges bytes with it, ends it.
#include "pipe/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <string_view>
#include <utility>

#include "../../sending/spawn_plan.hpp"

namespace piped {
namespace {

using broch::sending::pointers_to, broch::sending::SpawnPlan;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr size_t kMostLines = 20, kLongestLine = 1000;
constexpr int kPipeSize = 1 << 20;               // the most that Linux grants without privileges
constexpr size_t kErrorsAtOnce = (1 << 16) + 1;  // more than the pipe of standard error holds
constexpr milliseconds kGrace(300);

std::string name_of(const std::vector<std::string>& words) {
  constexpr size_t kLongest = 80;
  std::string name;
  for (const std::string& word : words) name += (name.empty() ? "" : " ") + word;
  return "'" + (name.size() > kLongest ? name.substr(0, kLongest) + "…" : name) + "'";
}

void close_once(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

// Both ends of a pipe; the child gets one of them. Closed with the object.
struct Ends {
  int read = -1, write = -1;
  Ends() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw broch::Error(BROCH_E_RESOURCE_EXHAUSTED,
                         std::string("pipes to a program: found '") + strerror(errno) +
                             "', expected six free file descriptors; raise the limit (ulimit -n)");
    read = ends[0], write = ends[1];
  }
  ~Ends() { close_once(read), close_once(write); }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;
};

int host_side(int& descriptor) {
  fcntl(descriptor, F_SETFL, O_NONBLOCK);
  return std::exchange(descriptor, -1);
}

// The environment of this process, in which the given "NAME=VALUE" replace what they name.
std::vector<std::string> environment_with(const std::vector<std::string>& given) {
  std::vector<std::string> all = given;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('=') + 1);
    if (std::none_of(given.begin(), given.end(), [&](const std::string& own) {
          return std::string_view(own).substr(0, name.size()) == name;
        }))
      all.emplace_back(text);
  }
  return all;
}

// While it exists, writing to a closed pipe gives EPIPE and no SIGPIPE to this thread.
class NoSigpipe {
 public:
  NoSigpipe() {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE);
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoSigpipe() {
    const timespec now{0, 0};
    if (!was_pending_)
      while (sigtimedwait(&pipe_, nullptr, &now) < 0 && errno == EINTR) continue;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoSigpipe(const NoSigpipe&) = delete;
  NoSigpipe& operator=(const NoSigpipe&) = delete;

 private:
  bool was_pending_;
  sigset_t pipe_, before_;
};

std::string ending_of(const siginfo_t& info) {
  if (info.si_code == CLD_EXITED) return "exit code " + std::to_string(info.si_status);
  return "signal " + std::to_string(info.si_status) + " (" + strsignal(info.si_status) + ")";
}

}  // namespace

Process::Process(const Command& command) : command_(command), name_(name_of(command.words)) {
  Ends input, output, errors;
  const SpawnPlan plan({input.read, output.write, errors.write}, command.folder);
  std::vector<std::string> environment = environment_with(command.environment);
  const int failed = plan.start(process_, command.words, pointers_to(environment).data());
  if (failed != 0)
    throw broch::Error(BROCH_E_NOT_FOUND,
                       "cannot start " + name_ + ": " + strerror(failed) +
                           (command.folder.empty() ? "" : " (in the folder " + command.folder) +
                           (command.folder.empty() ? "" : ")") +
                           "; check the first word of command, and cwd");
  fcntl(output.read, F_SETPIPE_SZ, kPipeSize);  // a smaller pipe works, too
  input_ = host_side(input.write);
  output_ = host_side(output.read);
  errors_ = host_side(errors.read);
}

void Process::expect_output(const broch::Cancel& cancel) {
  cancel_ = &cancel;
  if (command_.timeout)
    deadline_ = steady_clock::now() +
                milliseconds(int64_t(std::ceil(std::min(*command_.timeout, 1e9) * 1000)));
}

void Process::wait_for(int descriptor, short event) {
  for (;;) {
    if (cancel_->cancelled()) throw broch::Cancelled();
    int64_t left = 1000;
    if (command_.timeout) {
      left = std::chrono::ceil<milliseconds>(deadline_ - steady_clock::now()).count();
      if (left <= 0)
        throw broch::Error(BROCH_E_DATA_LOSS,
                           name_ + ": no whole data point within " +
                               std::to_string(*command_.timeout).substr(0, 6) +
                               " s; raise timeout if the program may take longer");
    }
    pollfd ready[] = {
        {descriptor, event, 0}, {errors_, POLLIN, 0}, {cancel_->event_fd(), POLLIN, 0}};
    // Now and then even without an event: a host may have no descriptor for its wish.
    if (poll(ready, 3, int(std::min<int64_t>(left, 500))) < 0) continue;
    if (ready[1].revents) read_errors();
    if (ready[0].revents) return;
  }
}

void Process::send(std::string_view text) {
  const NoSigpipe guard;
  while (!text.empty() && input_ >= 0) {
    const ssize_t n = write(input_, text.data(), text.size());
    if (n >= 0) {
      text.remove_prefix(size_t(n));
    } else if (errno == EAGAIN) {
      wait_for(input_, POLLOUT);
    } else if (errno != EINTR) {
      close_input();
    }
  }
}

void Process::close_input() { close_once(input_); }

size_t Process::read(void* memory, size_t size) {
  for (;;) {
    const ssize_t n = ::read(output_, memory, size);
    if (n >= 0) return size_t(n);
    if (errno == EAGAIN)
      wait_for(output_, POLLIN);
    else if (errno != EINTR)
      throw broch::Error(BROCH_E_DATA_LOSS, name_ + ": read: " + strerror(errno));
  }
}

bool Process::ends(milliseconds patience) {
  const auto deadline = steady_clock::now() + patience;
  for (;;) {
    char byte;
    const ssize_t n = ::read(output_, &byte, 1);
    if (n == 0) break;
    if (n > 0) return false;
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
    if ((errno != EAGAIN && errno != EINTR) || left.count() <= 0) break;
    pollfd ready[] = {{output_, POLLIN, 0}, {errors_, POLLIN, 0}};
    poll(ready, 2, int(left.count()));
    if (ready[1].revents) read_errors();
  }
  end(std::max(milliseconds(0), std::chrono::ceil<milliseconds>(deadline - steady_clock::now())));
  return true;
}

// Not until there is nothing more: a program may write faster than this reads, and must not hold up
// a timeout.
void Process::read_errors() {
  char buffer[4096];
  for (size_t done = 0; done < kErrorsAtOnce;) {
    const ssize_t n = ::read(errors_, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return;
    if (n == 0) return end_errors();
    done += size_t(n);
    for (const char c : std::string_view(buffer, size_t(n))) {
      if (c == '\n')
        take_line(std::exchange(line_, ""));
      else if (line_.size() < kLongestLine)
        line_ += c == '\0' ? ' ' : c;
    }
  }
}

void Process::end_errors() {
  if (!line_.empty()) take_line(std::exchange(line_, ""));
  close_once(errors_);  // poll leaves out -1
}

void Process::take_line(std::string line) {
  if (command_.log) command_.log(line);
  lines_.push_back(std::move(line));
  if (lines_.size() > kMostLines) lines_.pop_front();
}

std::string Process::last_words() {
  if (errors_ >= 0) read_errors();
  if (!line_.empty()) take_line(std::exchange(line_, ""));
  std::string words;
  for (const std::string& line : lines_) words += "\n  " + line;
  return words.empty() ? "" : "; the last lines of its standard error:" + words;
}

bool Process::exited(milliseconds patience) const {
  const auto deadline = steady_clock::now() + patience;
  for (;;) {
    siginfo_t info{};
    // The process stays a zombie, so that its number and its group cannot become another's.
    const int failed = waitid(P_PID, id_t(process_), &info, WEXITED | WNOHANG | WNOWAIT);
    if ((failed != 0 && errno != EINTR) || info.si_pid == process_) return true;
    if (steady_clock::now() >= deadline) return false;
    poll(nullptr, 0, 2);
  }
}

std::string Process::end(milliseconds patience) {
  if (process_ < 0) return ending_;
  close_input();
  close_once(output_);
  bool killed = !exited(patience);
  if (killed) {
    kill(-process_, SIGTERM);
    exited(kGrace);
  }
  kill(-process_, SIGKILL);  // also what the process has left behind
  siginfo_t info{};
  int failed;
  while ((failed = waitid(P_PID, id_t(process_), &info, WEXITED)) != 0 && errno == EINTR) continue;
  ending_ = failed   ? "an unknown end"  // somebody else took it
            : killed ? "killed, since it did not end by itself"
                     : ending_of(info);
  process_ = -1;
  if (errors_ >= 0) read_errors();
  close_once(errors_);
  return ending_;
}

}  // namespace piped
