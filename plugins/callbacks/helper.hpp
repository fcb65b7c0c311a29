// helper.hpp: a thread that runs tasks for a callback, one at a time.
#pragma once
#include <broch/broch.hpp>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace broch::callbacks {

class Helper {
 public:
  Helper() = default;
  ~Helper() {
    if (!thread_.joinable()) return;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !busy_; });
      busy_ = ends_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  void start(const broch::Host& host) {
    thread_ = std::thread([this, host] { serve(host); });
  }

  // Precondition: wait() has been called after the previous run().
  void run(std::function<void()> body) {
    const std::lock_guard lock(mutex_);
    body_ = std::move(body);
    busy_ = true;
    changed_.notify_all();
  }
  // Waits for the task to end, and throws what it has thrown.
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !busy_; });
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  void serve(const broch::Host& host) {
    try {
      const broch::ThreadScope thread(host, "inference");
      while (work()) continue;
    } catch (const broch::Error&) {
      while (work()) continue;  // the host has refused this thread, so the tasks fail
    }
  }
  bool work() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return busy_; });
    if (ends_) return false;
    lock.unlock();
    std::exception_ptr failure;
    try {
      body_();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = failure;
    busy_ = false;
    changed_.notify_all();
    return true;
  }

  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> body_;
  std::exception_ptr failure_;
  bool busy_ = false, ends_ = false;
};

}  // namespace broch::callbacks
