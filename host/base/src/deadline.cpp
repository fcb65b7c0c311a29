// deadline.cpp: the thread that watches all deadlines.
#include "base/deadline.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/system_failure.hpp"
#include "base/text.hpp"

namespace broch::base {

class Watch {
 public:
  // Never destroyed, since its thread runs until the process ends. A forked child does not have the
  // threads of its parent, so it gets a watch of its own.
  static Watch& only() {
    static std::mutex making;
    static Watch* watch = nullptr;
    const std::lock_guard lock(making);
    if (!watch || watch->process_ != getpid()) watch = new Watch;
    return *watch;
  }

  void add(const Deadline* deadline) {
    const std::lock_guard lock(mutex_);
    running_.push_back(deadline);
    changed_.notify_one();
  }

  void remove(const Deadline* deadline) {
    const std::lock_guard lock(mutex_);
    std::erase(running_, deadline);
  }

 private:
  Watch() {
    // The new thread inherits this mask: signals are for the main thread.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool starts = true;
    try {
      std::thread([this] { run(); }).detach();
    } catch (const std::system_error&) {
      starts = false;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (!starts) throw lack_of_threads();
  }

  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      const auto first = std::min_element(running_.begin(), running_.end(),
                                          [](auto* a, auto* b) { return a->end_ < b->end_; });
      if (first == running_.end()) {
        changed_.wait(lock);
      } else if (const auto end = (*first)->end_; std::chrono::steady_clock::now() < end) {
        changed_.wait_until(lock, end);
      } else {
        end_program((*first)->message_, (*first)->exit_);
      }
    }
  }

  // Uses neither the log nor exit(), because the call that hangs may hold any of their locks.
  [[noreturn]] static void end_program(const std::string& message, Exit exit) {
    const ssize_t ignored = write(STDERR_FILENO, message.data(), message.size());
    static_cast<void>(ignored);
    _exit(static_cast<int>(exit));
  }

  const pid_t process_ = getpid();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<const Deadline*> running_;
};

namespace {

std::string compose(const std::string& where, const std::string& doing, double seconds) {
  const Error error(
      Exit::plugin,
      {where, doing + " did not end within " + humanize_seconds(seconds), "a call that returns",
       "look for a loop, a lock or a wait in " +
           (doing == "loading" ? "the library's constructors" : "its " + doing)});
  return std::string("error: ") + error.what() + "\n";
}

std::chrono::steady_clock::time_point end_after(double seconds) {
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(
             std::chrono::duration<double>(seconds));
}

}  // namespace

Deadline::Deadline(const std::string& where, const std::string& doing, double seconds, Exit exit)
    : message_(compose(where, doing, seconds)), exit_(exit), end_(end_after(seconds)) {
  Watch::only().add(this);
}

Deadline::~Deadline() { Watch::only().remove(this); }

}  // namespace broch::base
