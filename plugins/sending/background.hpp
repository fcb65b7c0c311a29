// background.hpp: a thread that does work one after the other, while the training goes on.
#pragma once
#include <pthread.h>
#include <signal.h>

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace broch::sending {

// While it exists, threads that are started get no signals: those for the program are the host's.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_;
};

class Background {
 public:
  Background() = default;
  ~Background() { finish(); }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  void start() {
    const NoSignals none;
    thread_ = std::thread([this] { serve(); });
  }
  // Does nothing but count if too much waits already.
  void post(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kMostWaiting) {
      note("more than " + std::to_string(kMostWaiting) + " requests were waiting");
      return;
    }
    waiting_.push_back(std::move(work));
    changed_.notify_one();
  }
  // Waits for the work that was posted and ends the thread. After a failure, the rest is left out,
  // so that a server that is gone is not asked again and again.
  void finish() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
      changed_.notify_one();
    }
    thread_.join();
  }
  // How many times it has failed since the last call, and how at first.
  std::pair<size_t, std::string> take_failures() {
    const std::lock_guard lock(mutex_);
    return {std::exchange(failures_, 0), std::exchange(first_, {})};
  }

 private:
  static constexpr size_t kMostWaiting = 1000;

  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const std::function<void()> work = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      std::string failure;
      try {
        work();
      } catch (const std::exception& error) {
        failure = error.what();
      }
      lock.lock();
      if (failure.empty()) continue;
      note(failure);
      if (ends_) return;
    }
  }
  void note(const std::string& failure) {
    if (failures_++ == 0) first_ = failure;
  }

  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  size_t failures_ = 0;
  std::string first_;
  bool ends_ = false;
};

}  // namespace broch::sending
