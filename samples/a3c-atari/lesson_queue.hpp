// lesson_queue.hpp: lessons between the thread that plays and the one that learns.
#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>

#include "game.hpp"

namespace a3c {

class LessonQueue {
 public:
  explicit LessonQueue(size_t capacity) : capacity_(capacity) {}

  // Waits while the queue is full. False: it is closed.
  bool put(Lesson lesson) {
    std::unique_lock lock(mutex_);
    taken_.wait(lock, [&] { return closed_ || lessons_.size() < capacity_; });
    if (closed_) return false;
    lessons_.push_back(std::move(lesson));
    if (lessons_.size() >= wanted_) put_.notify_one();
    return true;
  }
  // Waits for n of them. Throws Error if there will be no more.
  std::vector<Lesson> take(size_t n, const broch::Cancel& cancel) {
    std::unique_lock lock(mutex_);
    wanted_ = n;
    while (lessons_.size() < n) {
      if (!failure_.empty()) throw broch::Error(BROCH_E_UNAVAILABLE, failure_);
      if (cancel.cancelled()) throw broch::Cancelled();
      put_.wait_for(lock, std::chrono::milliseconds(50));
    }
    std::vector<Lesson> taken(std::make_move_iterator(lessons_.begin()),
                              std::make_move_iterator(lessons_.begin() + ptrdiff_t(n)));
    lessons_.erase(lessons_.begin(), lessons_.begin() + ptrdiff_t(n));
    taken_.notify_all();
    return taken;
  }
  void fail(const std::string& why) {
    const std::lock_guard lock(mutex_);
    failure_ = why;
    put_.notify_all();
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    taken_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable put_, taken_;
  std::deque<Lesson> lessons_;
  size_t capacity_, wanted_ = 1;
  std::string failure_;
  bool closed_ = false;
};

}  // namespace a3c
