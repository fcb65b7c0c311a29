// deadline.cpp: a thread that waits for the call to end.
#include "plugins/deadline.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>

#include "base/error.hpp"
#include "base/text.hpp"

namespace broch::plugins {
namespace {

std::string compose(const std::string& place, const std::string& doing, double seconds) {
  const base::Error error(
      base::Exit::plugin,
      base::Complaint{place, doing + " did not end within " + base::humanize_seconds(seconds),
                      "a call that returns",
                      "look for a loop, a lock or a wait in the library's constructors or create"});
  return std::string("error: ") + error.what() + "\n";
}

}  // namespace

Deadline::Deadline(const std::string& place, const std::string& doing, double seconds)
    : message_(compose(place, doing, seconds)), seconds_(seconds) {
  // The program's signals are for its main thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { wait(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Deadline::~Deadline() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Deadline::wait() {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, std::chrono::duration<double>(seconds_), [this] { return done_; }))
    return;
  // Neither the log nor exit(): the hung call may hold any lock there is.
  const ssize_t ignored = write(STDERR_FILENO, message_.data(), message_.size());
  static_cast<void>(ignored);
  _exit(static_cast<int>(base::Exit::plugin));
}

}  // namespace broch::plugins
