// tower_threads.cpp: worker threads that get one step at a time.
#include "plan/tower_threads.hpp"

#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>

#include "base/waiting.hpp"

namespace broch::plan {

class TowerThreads::Worker {
 public:
  explicit Worker(int looks) : looks_(looks), thread_([this] { work(); }) {}
  ~Worker() {
    body_ = nullptr;
    announce(asked_);
    thread_.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void start(const std::function<void(size_t)>& body, size_t number) {
    body_ = &body;
    number_ = number;
    failure_ = nullptr;
    announce(asked_);
  }
  // Returns the exception that the body threw, if any.
  std::exception_ptr finish() {
    const uint32_t asked = asked_.load(std::memory_order_relaxed);
    base::wait_for_change(done_, asked - 1, looks_);
    return failure_;
  }

 private:
  static void announce(std::atomic<uint32_t>& counter) {
    counter.fetch_add(1, std::memory_order_release);
    counter.notify_one();
  }

  void work() {
    for (uint32_t seen = 0;; ++seen) {
      base::wait_for_change(asked_, seen, looks_);
      if (!body_) return;
      try {
        (*body_)(number_);
      } catch (...) {
        failure_ = std::current_exception();
      }
      announce(done_);
    }
  }

  const int looks_;
  std::atomic<uint32_t> asked_{0}, done_{0};
  const std::function<void(size_t)>* body_ = nullptr;
  size_t number_ = 0;
  std::exception_ptr failure_;
  std::thread thread_;  // last, because it uses the other members
};

TowerThreads::TowerThreads() = default;
TowerThreads::~TowerThreads() = default;

void TowerThreads::run(size_t count, const std::function<void(size_t)>& body) {
  const int looks = base::looks_for(count);
  while (workers_.size() + 1 < count) workers_.push_back(std::make_unique<Worker>(looks));
  for (size_t i = 1; i < count; ++i) workers_[i - 1]->start(body, i);
  std::exception_ptr failure;
  try {
    body(0);
  } catch (...) {
    failure = std::current_exception();
  }
  for (size_t i = 1; i < count; ++i)
    if (const std::exception_ptr thrown = workers_[i - 1]->finish(); thrown && !failure)
      failure = thrown;
  if (failure) std::rethrow_exception(failure);
}

}  // namespace broch::plan
