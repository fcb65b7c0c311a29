// answers.hpp: answers of the policy on their way from the thread that computes them to the one
// that talks to the simulators.
#pragma once
#include <sys/eventfd.h>
#include <unistd.h>

#include <mutex>

#include "game.hpp"

namespace a3c {

class Answers {
 public:
  Answers() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (event_ < 0)
      throw broch::Error(BROCH_E_RESOURCE_EXHAUSTED, std::string("eventfd: ") + strerror(errno));
  }
  ~Answers() { close(event_); }
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;

  // Can be read when there are some.
  int descriptor() const { return event_; }
  void put(const Answer& answer) {
    const std::lock_guard lock(mutex_);
    list_.push_back(answer);
    if (list_.size() == 1) eventfd_write(event_, 1);
  }
  std::vector<Answer> take() {
    const std::lock_guard lock(mutex_);
    eventfd_t ignored;
    eventfd_read(event_, &ignored);
    return std::exchange(list_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<Answer> list_;
  int event_;
};

}  // namespace a3c
