// background.hpp: a thread that does work one after the other, while the training goes on.
#pragma once
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

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

// What did not reach its receiver. A value is whatever the caller counts.
struct Lost {
  size_t values = 0;
  size_t failures = 0, dropped = 0;  // pieces of work that failed; that were never begun
  std::string first_failure;

  Lost& operator+=(const Lost& other) {
    if (failures == 0) first_failure = other.first_failure;
    values += other.values;
    failures += other.failures;
    dropped += other.dropped;
    return *this;
  }
};

// A bounded queue and the thread that empties it. Whoever posts never waits.
class Background {
 public:
  Background() = default;
  ~Background() { finish(std::chrono::seconds(0)); }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  void start() {
    const NoSignals none;
    thread_ = std::thread([this] { serve(); });
  }
  // values: how many are lost if this is not done. Drops it if too much waits already.
  void post(std::function<void()> work, size_t values) {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kMostWaiting) return drop(values);
    waiting_.push_back({std::move(work), values});
    changed_.notify_one();
  }
  // Whether something was posted that is not begun yet.
  bool has_waiting() const {
    const std::lock_guard lock(mutex_);
    return !waiting_.empty();
  }
  // Does what was posted for so long, drops the rest, and ends the thread. After a failure, the
  // rest is dropped at once, so that a server that is gone is not asked again and again. Work that
  // has begun is waited for: it asks seconds_left().
  void finish(std::chrono::steady_clock::duration limit) {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      end_ = Clock::now() + limit;
      changed_.notify_one();
    }
    thread_.join();
  }
  // How long work that begins now may take: without a limit before finish.
  double seconds_left() const {
    const std::lock_guard lock(mutex_);
    if (!end_) return std::numeric_limits<double>::infinity();
    return std::max(0.0, std::chrono::duration<double>(*end_ - Clock::now()).count());
  }
  // What was lost since the last call.
  Lost take_lost() {
    const std::lock_guard lock(mutex_);
    return std::exchange(lost_, {});
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Work {
    std::function<void()> call;
    size_t values;
  };
  static constexpr size_t kMostWaiting = 1000;

  void serve() {
    std::unique_lock lock(mutex_);
    bool failed = false;
    for (;;) {
      changed_.wait(lock, [this] { return end_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const Work work = std::move(waiting_.front());
      waiting_.pop_front();
      if (end_ && (failed || Clock::now() >= *end_)) {
        drop(work.values);
        continue;
      }
      lock.unlock();
      const std::optional<std::string> failure = attempt(work);
      lock.lock();
      failed = failure.has_value();
      if (failed) lost_ += {work.values, 1, 0, *failure};
    }
  }
  static std::optional<std::string> attempt(const Work& work) {
    try {
      work.call();
      return std::nullopt;
    } catch (const std::exception& error) {
      return error.what();
    }
  }
  void drop(size_t values) { lost_ += {values, 0, 1, {}}; }

  std::thread thread_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> waiting_;
  std::optional<Clock::time_point> end_;  // has a value after finish was called
  Lost lost_;
};

}  // namespace broch::sending
