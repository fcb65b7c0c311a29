// deadline.cpp: the thread that watches over calls.
#include "abi/deadline.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace broch::abi {

class Watch {
 public:
  static Watch& only() {
    static Watch* const watch = new Watch;  // its thread runs until the process ends
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
    // The program's signals are for its main thread.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread([this] { run(); }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
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
        end_program((*first)->line_);
      }
    }
  }

  // Neither the log nor exit(): the call that hangs may hold any lock there is.
  [[noreturn]] static void end_program(const std::string& line) {
    const ssize_t ignored = write(STDERR_FILENO, line.data(), line.size());
    static_cast<void>(ignored);
    _exit(static_cast<int>(base::Exit::plugin));
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<const Deadline*> running_;
};

namespace {

std::string compose(const InstanceSpec& spec, const std::string& hook, double seconds) {
  return "broch: '" + spec.name + "' (" + spec.component_id + "): " + hook +
         " did not end within " + base::humanize_seconds(seconds) + ", file " + spec.file + "\n";
}

std::chrono::steady_clock::time_point end_after(double seconds) {
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(
             std::chrono::duration<double>(seconds));
}

}  // namespace

Deadline::Deadline(const InstanceSpec& spec, const std::string& hook, double seconds)
    : line_(compose(spec, hook, seconds)), end_(end_after(seconds)) {
  Watch::only().add(this);
}

Deadline::~Deadline() { Watch::only().remove(this); }

}  // namespace broch::abi
